//! Symmetries that the user knows: what may be changed about a row without changing its answer.

use super::notes::numbered;
use super::schema::{LabelledTable, Schema};
use crate::escape::{self, one_line};
use crate::rng::{RandomStream, Stream};
use crate::task::symmetry::Symmetry;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The most rows that are made of a table's.
pub const MOST_IMAGES: usize = 4096;

/// Symmetries by the names of columns, each a list of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symmetries {
    /// Any order of these columns is as good.
    pub interchangeable: Vec<Vec<String>>,
    /// Any rotation of these columns is as good.
    pub cyclic: Vec<Vec<String>>,
    /// The two values of all of these may change places together.
    pub flip_together: Vec<Vec<String>>,
}

/// Why a symmetry is none.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymmetriesError {
    #[error("{option}: there is no column {name:?} to learn from; those are {}", escape::list(.names))]
    NoColumn { option: &'static str, name: String, names: Vec<String> },
    #[error("{option}: {name:?} is named twice")]
    Twice { option: &'static str, name: String },
    #[error("{option}: needs at least two columns")]
    Few { option: &'static str },
    #[error("{option}: {first:?} and {second:?} do not have the same values, {} and {}", .values[0], .values[1])]
    Values { option: &'static str, first: String, second: String, values: [String; 2] },
    #[error("{option}: {name:?} has {found} values, but should have two")]
    NotTwo { option: &'static str, name: String, found: usize },
    #[error("{} are the same row by what you know, but have different answers, {first:?} and {second:?}", numbered(.rows))]
    Contradiction { rows: Vec<usize>, first: String, second: String },
}

const INTERCHANGEABLE: &str = "interchangeable";
const CYCLIC: &str = "cyclic";
const FLIP: &str = "flip_together";

impl Symmetries {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.interchangeable.is_empty() && self.cyclic.is_empty() && self.flip_together.is_empty()
    }

    /// Whether a column takes part, for each of the symmetries.
    pub fn symmetries_of(&self, column: &str) -> Vec<bool> {
        let all = [&self.interchangeable, &self.cyclic, &self.flip_together];
        all.into_iter().flatten().map(|names| names.iter().any(|n| n == column)).collect()
    }

    /// A few symmetries that make all others when done one after the other.
    fn generators(&self, schema: &Schema) -> Result<Vec<Symmetry>, SymmetriesError> {
        let cells = schema.fields.len();
        let values = schema.fields.iter().map(|f| f.values.len()).max().unwrap_or(1);
        let mut all = vec![];
        for names in &self.interchangeable {
            let columns = alike(INTERCHANGEABLE, names, schema)?;
            for pair in columns.windows(2) {
                let mut from: Vec<usize> = (0..cells).collect();
                from.swap(pair[0], pair[1]);
                all.push(Symmetry::moving(from, values));
            }
        }
        for names in &self.cyclic {
            let columns = alike(CYCLIC, names, schema)?;
            let mut from: Vec<usize> = (0..cells).collect();
            for (i, &column) in columns.iter().enumerate() {
                from[column] = columns[(i + 1) % columns.len()];
            }
            all.push(Symmetry::moving(from, values));
        }
        for names in &self.flip_together {
            let mut flip = Symmetry::identity(cells, values);
            for &column in &columns(FLIP, names, schema)? {
                let field = &schema.fields[column];
                if field.values.len() != 2 {
                    let (name, found) = (field.name.clone(), field.values.len());
                    return Err(SymmetriesError::NotTwo { option: FLIP, name, found });
                }
                flip = flip.renaming(column, &[1, 0]);
            }
            all.push(flip);
        }
        Ok(all)
    }

    /// The inputs of a labelled table and what the symmetries make of them, each once, with its class: all of them, or
    /// `MOST_IMAGES` in turn for every row. Of rows that are alike, most decide. An error if two rows are the same by a
    /// symmetry alone, but have different answers.
    pub(crate) fn images(&self, labelled: &LabelledTable) -> Result<Vec<Image>, SymmetriesError> {
        let generators = self.generators(&labelled.schema)?;
        let rows = settled(labelled);
        // Of every image: the row that it comes from.
        let mut origin = HashMap::<Vec<u8>, usize>::new();
        let mut images: Vec<Image> = vec![];
        let mut draws = RandomStream::new(0, Stream::Augment, 0);
        let mut fronts: Vec<(usize, Vec<Vec<u8>>)> = vec![];
        for (i, class) in rows {
            let input = labelled.rows[i].input.clone();
            origin.insert(input.clone(), images.len());
            images.push(Image { input: input.clone(), class, origin: i });
            fronts.push((i, vec![input]));
        }
        let most = MOST_IMAGES.max(images.len());
        // A step of every row in turn, so that none is left behind if there are too many.
        while fronts.iter().any(|(_, front)| !front.is_empty()) {
            for (at, (i, front)) in fronts.iter_mut().enumerate() {
                if front.is_empty() {
                    continue;
                }
                let class = images[at].class;
                let drawn = draws.below(front.len() as u32) as usize;
                let input = front.swap_remove(drawn);
                for generator in &generators {
                    let image = generator.apply(&input);
                    match origin.get(&image) {
                        Some(&other) if images[other].class != class => {
                            return Err(contradiction(labelled, &images[other], *i, class));
                        }
                        None if images.len() < most => {
                            origin.insert(image.clone(), images.len());
                            images.push(Image { input: image.clone(), class, origin: *i });
                            front.push(image);
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(images)
    }
}

/// A row of a table, or what a symmetry makes of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// A value for every field.
    pub input: Vec<u8>,
    /// The class.
    pub class: u8,
    /// The row that it is made of, by its place among the rows.
    pub origin: usize,
}

/// The different inputs of a table, each by the first row that has it, with the class that most rows give it; the first of
/// several.
fn settled(labelled: &LabelledTable) -> Vec<(usize, u8)> {
    let mut alike = HashMap::<&[u8], Vec<usize>>::new();
    labelled.rows.iter().enumerate().for_each(|(i, row)| alike.entry(&row.input).or_default().push(i));
    let mut settled: Vec<(usize, u8)> = alike
        .into_values()
        .map(|same| {
            let class = |i: usize| labelled.rows[i].class;
            let votes = |i: usize| same.iter().filter(|&&j| class(j) == class(i)).count();
            let most = same.iter().map(|&i| votes(i)).max().unwrap_or(0);
            let winner = same.iter().find(|&&i| votes(i) == most).map_or(0, |&i| class(i));
            (same[0], winner)
        })
        .collect();
    settled.sort_unstable();
    settled
}

fn contradiction(labelled: &LabelledTable, image: &Image, row: usize, class: u8) -> SymmetriesError {
    let [(a, first), (b, second)] = if image.origin < row {
        [(image.origin, image.class), (row, class)]
    } else {
        [(row, class), (image.origin, image.class)]
    };
    let word = |class: u8| labelled.schema.classes[usize::from(class)].clone();
    let rows = [a, b].map(|i| labelled.rows[i].row).to_vec();
    SymmetriesError::Contradiction { rows, first: word(first), second: word(second) }
}

/// Numbers of columns by name.
fn columns(option: &'static str, names: &[String], schema: &Schema) -> Result<Vec<usize>, SymmetriesError> {
    let mut found = vec![];
    for name in names {
        let at = schema.fields.iter().position(|f| f.name == *name).ok_or_else(|| SymmetriesError::NoColumn {
            option,
            name: name.clone(),
            names: schema.fields.iter().map(|f| f.name.clone()).collect(),
        })?;
        if found.contains(&at) {
            return Err(SymmetriesError::Twice { option, name: name.clone() });
        }
        found.push(at);
    }
    match found.len() {
        0 | 1 if option != FLIP => Err(SymmetriesError::Few { option }),
        0 => Err(SymmetriesError::Few { option }),
        _ => Ok(found),
    }
}

/// The same for columns that have the same values.
fn alike(option: &'static str, names: &[String], schema: &Schema) -> Result<Vec<usize>, SymmetriesError> {
    let found = columns(option, names, schema)?;
    let first = &schema.fields[found[0]];
    for &i in &found[1..] {
        let other = &schema.fields[i];
        if other.values != first.values {
            let values = [first, other].map(|f| one_line(&f.values.join("/")).into_owned());
            return Err(SymmetriesError::Values {
                option,
                first: first.name.clone(),
                second: other.name.clone(),
                values,
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::Sheet;
    use crate::task::table::Told;
    use crate::task::table::sheet::Header;
    use std::path::Path;

    fn labelled(text: &str) -> LabelledTable {
        let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        LabelledTable::of(&sheet, "y", &Told::default(), &Symmetries::default()).unwrap()
    }

    fn names(names: &str) -> Vec<Vec<String>> {
        vec![names.split(',').map(String::from).collect()]
    }

    #[test]
    fn images_are_whole_orbits() {
        let l = labelled("a,b,c,y\n1,0,0,p\n0,0,0,n\n1,1,1,p\n");
        let cyclic = Symmetries { cyclic: names("a,b,c"), ..Symmetries::default() }.images(&l).unwrap();
        assert_eq!(cyclic.len(), 3 + 1 + 1);
        assert!([[0, 1, 0], [0, 0, 1]].iter().all(|x| cyclic.iter().any(|i| i.input == x && i.class == 1)));
        let any = Symmetries { interchangeable: names("a,b"), ..Symmetries::default() }.images(&l).unwrap();
        assert_eq!(any.len(), 2 + 1 + 1);
        let none = Symmetries::default().images(&l).unwrap();
        assert_eq!(none.len(), 3);
    }

    #[test]
    fn what_rows_contradict_is_shown() {
        let l = labelled("a,b,c,y\n1,0,0,p\n0,1,0,n\n1,1,1,p\n");
        let cyclic = Symmetries { cyclic: names("a,b,c"), ..Symmetries::default() };
        assert_eq!(
            cyclic.images(&l).unwrap_err().to_string(),
            "rows 2 and 3 are the same row by what you know, but have different answers, \"p\" and \"n\""
        );
        let flip = Symmetries { flip_together: names("a,b,c"), ..Symmetries::default() };
        assert!(flip.images(&labelled("a,b,c,y\n1,0,0,p\n0,1,1,n\n0,0,0,p\n")).is_err());
    }

    #[test]
    fn what_is_no_symmetry_is_said() {
        let l = labelled("a,b,c,y\n1,0,x,p\n0,0,y,n\n1,1,z,p\n");
        let error = |known: Symmetries| known.images(&l).unwrap_err().to_string();
        let cyclic = |c: &str| Symmetries { cyclic: names(c), ..Symmetries::default() };
        assert_eq!(error(cyclic("a,q")), "cyclic: there is no column \"q\" to learn from; those are a, b, c");
        assert_eq!(error(cyclic("a,a")), "cyclic: \"a\" is named twice");
        assert_eq!(error(cyclic("a")), "cyclic: needs at least two columns");
        assert_eq!(error(cyclic("a,c")), "cyclic: \"a\" and \"c\" do not have the same values, 0/1 and x/y/z");
        let flip = Symmetries { flip_together: names("a,c"), ..Symmetries::default() };
        assert_eq!(error(flip), "flip_together: \"c\" has 3 values, but should have two");
    }

    #[test]
    fn large_orbits_are_sampled_from_every_row() {
        let columns: Vec<String> = (0..16).map(|i| format!("c{i}")).collect();
        let row = |ones: usize, y: &str| {
            let cells: Vec<&str> = (0..16).map(|i| if i < ones { "1" } else { "0" }).collect();
            format!("{},{y}\n", cells.join(","))
        };
        let text = format!("{},y\n{}{}", columns.join(","), row(8, "p"), row(7, "n"));
        let l = labelled(&text);
        assert_eq!(l.schema.fields.len(), 1, "the others are constant");
        let text = format!("{text}{}{}", row(16, "p"), row(0, "n"));
        let l = labelled(&text);
        let images = Symmetries { interchangeable: vec![columns], ..Symmetries::default() }.images(&l).unwrap();
        assert_eq!(images.len(), MOST_IMAGES);
        let positive = images.iter().filter(|i| i.class == 1).count();
        assert!((1500..2600).contains(&positive), "{positive}");
    }
}
