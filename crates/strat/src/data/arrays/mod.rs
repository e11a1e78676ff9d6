//! Arrays from a user's file: safetensors, NumPy's npz, or JSON lines.
//!
//! Every array has the examples on its first axis. Nothing is trusted: sizes are compared with the file before
//! anything is allocated, and a fault is told with the array, the index or line, and the value.

mod jsonl;
#[cfg(feature = "archives")]
mod npy;
mod tensors;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest file that is read.
const LONGEST_FILE: u64 = 1 << 30;
/// Most numbers of all arrays together.
const MOST_NUMBERS: usize = 1 << 26;
/// Most axes of an array.
const MOST_AXES: usize = 3;

/// What the numbers of an array are, which tells a class from a measured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberKind {
    /// `true` and `false`, as 1 and 0.
    Bool,
    /// Integers.
    Int,
    /// Floating point.
    Float,
}

/// Numbers with a shape, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The size of each axis; the first counts examples.
    pub shape: Vec<usize>,
    /// What the numbers are.
    pub kind: NumberKind,
    /// As many as the shape says.
    pub values: Vec<f64>,
}

impl Array {
    /// The numbers of one example.
    pub fn example(&self, index: usize) -> &[f64] {
        let each: usize = self.shape[1..].iter().product();
        &self.values[index * each..][..each]
    }
}

/// Arrays by name.
pub type NamedArrays = BTreeMap<String, Array>;

/// Why a file gives no arrays.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct ArraysError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: ArraysFault,
}

/// What is wrong with a file of arrays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArraysFault {
    /// The file cannot be read.
    #[error("cannot read it: {0}")]
    Io(#[from] std::io::Error),
    /// More than this program takes.
    #[error("it has {found} {what}, but at most {most} are read; split it, or use fewer examples")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there may be.
        most: u64,
    },
    /// This build reads no archives.
    #[error(
        "an npz file is an archive, which this build does not read; build with the feature `archives`, or save safetensors"
    )]
    NoArchives,
    /// Another kind of file.
    #[error("the name should end in .safetensors, .npz or .jsonl, to say which form the file has")]
    Form,
    /// Not a file of its form.
    #[error("it is not a {form} file: {reason}")]
    Broken {
        /// The form that its name promises.
        form: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A kind of number that is not read.
    #[error("array {name:?} holds {found}; write it as float32, float64, an integer type or bool")]
    Numbers {
        /// The array.
        name: String,
        /// Its type in the file.
        found: String,
    },
    /// Too many axes, or none.
    #[error(
        "array {name:?} has shape {shape:?}, but should have 1 to {MOST_AXES} axes, the first of them the examples"
    )]
    Axes {
        /// The array.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Not as many numbers as its shape says; of arrays that come from no file.
    #[error("array {name:?} has shape {shape:?}, but {found} numbers")]
    Count {
        /// The array.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// How many numbers it has.
        found: usize,
    },
    /// Not as many examples as another array.
    #[error("array {name:?} has {found} examples, but array {other:?} has {expected}")]
    Examples {
        /// The array.
        name: String,
        /// How many it has.
        found: usize,
        /// An array with another number.
        other: String,
        /// How many that has.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("array {name:?} is {value} at index {index:?}; every number should be finite")]
    NotFinite {
        /// The array.
        name: String,
        /// Where.
        index: Vec<usize>,
        /// What is there.
        value: f64,
    },
    /// A line of JSON is not as it should be.
    #[error("line {line}: {reason}")]
    Line {
        /// The line, from 1 on.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// Nothing in it.
    #[error("it has no examples")]
    Empty,
}

/// Reads all arrays of a file, whose form its name tells.
pub fn read(path: &Path) -> Result<NamedArrays, ArraysError> {
    let read = || parser(path)?(&bytes(path)?);
    checked(path, read())
}

/// The same of bytes that are in memory; the name tells their form.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<NamedArrays, ArraysError> {
    checked(path, parser(path).and_then(|parse| parse(bytes)))
}

fn checked(path: &Path, arrays: Result<NamedArrays, ArraysFault>) -> Result<NamedArrays, ArraysError> {
    let checked = arrays.and_then(|arrays| check(&arrays).map(|()| arrays));
    checked.map_err(|fault| ArraysError { path: path.into(), fault })
}

type Parser = fn(&[u8]) -> Result<NamedArrays, ArraysFault>;

fn parser(path: &Path) -> Result<Parser, ArraysFault> {
    let form = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    Ok(match &*form {
        "safetensors" => tensors::parse,
        #[cfg(feature = "archives")]
        "npz" => npy::parse_npz,
        #[cfg(not(feature = "archives"))]
        "npz" => |_| Err(ArraysFault::NoArchives),
        "jsonl" | "ndjson" => jsonl::parse,
        _ => return Err(ArraysFault::Form),
    })
}

/// The whole file, if it is one and not too long.
fn bytes(path: &Path) -> Result<Vec<u8>, ArraysFault> {
    // Asked before it is opened: a pipe would keep us waiting.
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(std::io::Error::other("it is not a regular file").into());
    }
    let too_long = |found| ArraysFault::TooLarge { what: "bytes", found, most: LONGEST_FILE };
    if found.len() > LONGEST_FILE {
        return Err(too_long(found.len()));
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    File::open(path)?.take(LONGEST_FILE + 1).read_to_end(&mut bytes)?;
    // It may have grown.
    if bytes.len() as u64 > LONGEST_FILE { Err(too_long(bytes.len() as u64)) } else { Ok(bytes) }
}

/// How many numbers a shape asks for, if that is allowed.
fn numbers(name: &str, shape: &[usize]) -> Result<usize, ArraysFault> {
    if !(1..=MOST_AXES).contains(&shape.len()) {
        return Err(ArraysFault::Axes { name: name.into(), shape: shape.into() });
    }
    let count = shape.iter().try_fold(1usize, |n, &axis| n.checked_mul(axis)).unwrap_or(usize::MAX);
    if count > MOST_NUMBERS {
        return Err(ArraysFault::TooLarge { what: "numbers", found: count as u64, most: MOST_NUMBERS as u64 });
    }
    Ok(count)
}

/// What holds for arrays of any origin.
pub(crate) fn check(arrays: &NamedArrays) -> Result<(), ArraysFault> {
    for (name, Array { shape, values, .. }) in arrays {
        if numbers(name, shape)? != values.len() {
            let (name, shape, found) = (name.clone(), shape.clone(), values.len());
            return Err(ArraysFault::Count { name, shape, found });
        }
    }
    let Some((first, array)) = arrays.iter().next().filter(|(_, array)| array.shape[0] > 0) else {
        return Err(ArraysFault::Empty);
    };
    let expected = array.shape[0];
    for (name, array) in arrays {
        if array.shape[0] != expected {
            let (name, other) = (name.clone(), first.clone());
            return Err(ArraysFault::Examples { name, found: array.shape[0], other, expected });
        }
        if let Some(at) = array.values.iter().position(|x| !x.is_finite()) {
            let (name, value) = (name.clone(), array.values[at]);
            return Err(ArraysFault::NotFinite { name, index: index(&array.shape, at), value });
        }
    }
    Ok(())
}

/// The index of a number by its place.
pub(crate) fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &axis) in index.iter_mut().zip(shape).rev() {
        (*i, at) = (at % axis, at / axis);
    }
    index
}

/// Little-endian numbers of a type that NumPy and safetensors have in common; none of other types.
fn decode(dtype: &str, bytes: &[u8]) -> Option<(NumberKind, Vec<f64>)> {
    macro_rules! numbers {
        ($kind:ident, $number:ty) => {
            (NumberKind::$kind, bytes.as_chunks().0.iter().map(|b| <$number>::from_le_bytes(*b) as f64).collect())
        };
    }
    Some(match dtype {
        "f8" => numbers!(Float, f64),
        "f4" => numbers!(Float, f32),
        "i8" => numbers!(Int, i64),
        "i4" => numbers!(Int, i32),
        "i2" => numbers!(Int, i16),
        "i1" => numbers!(Int, i8),
        "u8" => numbers!(Int, u64),
        "u4" => numbers!(Int, u32),
        "u2" => numbers!(Int, u16),
        "u1" => numbers!(Int, u8),
        "b1" => (NumberKind::Bool, bytes.iter().map(|&b| f64::from(u8::from(b != 0))).collect()),
        _ => return None,
    })
}

/// Bytes of a number of such a type.
#[cfg(feature = "archives")]
fn size(dtype: &str) -> Option<usize> {
    decode(dtype, &[]).and_then(|_| dtype[1..].parse().ok())
}
