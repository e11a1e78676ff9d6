//! NumPy's npz: a zip archive of npy files. An npy file is a magic number, a version, a header in the form of a
//! Python dict, and the numbers.

use super::{Array, ArraysFault, NamedArrays, decode, numbers, size};
use std::io::{Cursor, Read};

/// The longest header of an npy file that is read; NumPy's own have 128 bytes or little more.
const LONGEST_HEADER: usize = 1 << 16;

fn broken(reason: impl Into<String>) -> ArraysFault {
    ArraysFault::Broken { form: "npz", reason: reason.into() }
}

pub(super) fn parse_npz(bytes: &[u8]) -> Result<NamedArrays, ArraysFault> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| broken(e.to_string()))?;
    let mut arrays = NamedArrays::new();
    let mut total = 0;
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(|e| broken(e.to_string()))?;
        let entry_name = entry.name().map_err(|e| broken(e.to_string()))?.into_owned();
        let Some(name) = entry_name.strip_suffix(".npy").map(str::to_string) else {
            return Err(broken(format!("it has an entry {entry_name:?}, which is no .npy file")));
        };
        let Header { dtype, shape } = Header::read(&name, &mut entry)?;
        let count = numbers(&name, &shape)?;
        total += count;
        numbers(&name, &[total])?;
        let length = count * size(&dtype).expect("checked with the header");
        let mut data = Vec::new();
        // One more byte than there should be, to see whether there is more. What is compressed grows only so far.
        entry.by_ref().take(length as u64 + 1).read_to_end(&mut data)?;
        if data.len() != length {
            let found = if data.len() > length { "more".into() } else { data.len().to_string() };
            return Err(broken(format!(
                "array {name:?} of shape {shape:?} should have {length} bytes, but has {found}"
            )));
        }
        let (kind, values) = decode(&dtype, &data).expect("checked with the header");
        arrays.insert(name, Array { shape, kind, values });
    }
    Ok(arrays)
}

struct Header {
    /// As in `f4`; little-endian.
    dtype: String,
    shape: Vec<usize>,
}

impl Header {
    fn read(name: &str, file: &mut impl Read) -> Result<Header, ArraysFault> {
        let short = |e: std::io::Error| broken(format!("array {name:?}: {e}"));
        let mut start = [0; 8];
        file.read_exact(&mut start).map_err(short)?;
        if &start[..6] != b"\x93NUMPY" {
            return Err(broken(format!("array {name:?} does not begin as a .npy file does")));
        }
        let mut length = [0; 4];
        let bytes = if start[6] == 1 { 2 } else { 4 };
        file.read_exact(&mut length[..bytes]).map_err(short)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(broken(format!("array {name:?} has a header of {length} bytes")));
        }
        let mut text = vec![0; length];
        file.read_exact(&mut text).map_err(short)?;
        let text = String::from_utf8_lossy(&text);
        Header::parse(name, &text)
    }

    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse(name: &str, text: &str) -> Result<Header, ArraysFault> {
        let value = |key: &str| {
            let at = text.find(&format!("'{key}':"))? + key.len() + 3;
            Some(text[at..].trim_start())
        };
        let missing = |key: &str| broken(format!("array {name:?} has no {key} in its header"));
        let descr = value("descr").ok_or_else(|| missing("descr"))?;
        let found = descr.split('\'').nth(1).filter(|_| descr.starts_with('\'')).unwrap_or(descr).to_string();
        let dtype = found.strip_prefix(['<', '|', '=']).unwrap_or("").to_string();
        if size(&dtype).is_none() {
            return Err(ArraysFault::Numbers { name: name.into(), found });
        }
        let order = value("fortran_order").ok_or_else(|| missing("fortran_order"))?;
        if !order.starts_with("False") {
            let how = "save numpy.ascontiguousarray(x) instead";
            return Err(broken(format!("array {name:?} is stored column by column; {how}")));
        }
        let shape = value("shape").ok_or_else(|| missing("shape"))?;
        let inside = shape.strip_prefix('(').and_then(|s| s.split_once(')')).ok_or_else(|| missing("shape"))?.0;
        let axis = |axis: &str| axis.trim().parse::<usize>().map_err(|_| missing("readable shape"));
        let shape = inside.split(',').filter(|axis| !axis.trim().is_empty()).map(axis).collect::<Result<_, _>>()?;
        Ok(Header { dtype, shape })
    }
}
