//! Rows that count for several.

use super::{LabelledRow, SchemaError};
use crate::data::clip;
use crate::task::table::sheet::MOST_ROWS;

/// The most rows that a row may count for.
pub(super) const MOST_WEIGHT: usize = 1000;

/// Each row as often as its weight says.
pub(super) fn weighted(
    rows: Vec<LabelledRow>,
    column: &str,
    weights: &[&str],
) -> Result<Vec<LabelledRow>, SchemaError> {
    let mut out = vec![];
    for (row, text) in rows.into_iter().zip(weights) {
        let weight = text.trim().parse().ok().filter(|weight| (1..=MOST_WEIGHT).contains(weight));
        let Some(weight) = weight else {
            return Err(SchemaError::Weight { row: row.row, column: clip(column), text: clip(text) });
        };
        if out.len() + weight > MOST_ROWS {
            return Err(SchemaError::Weights { column: clip(column) });
        }
        out.extend(std::iter::repeat_n(row, weight));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use crate::task::table::sheet::Header;
    use crate::task::table::{LabelledTable, Sheet, Symmetries, Told};
    use std::path::Path;

    #[test]
    fn a_row_counts_as_often_as_its_weight_says() {
        let of = |text: &str, weight: &str| {
            let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
            let told = Told { weight: Some(weight.into()), ..Told::default() };
            LabelledTable::of(&sheet, "y", &told, &Symmetries::default())
        };
        let table = of("a,w,y\n1,3,p\n0,1,n\n", "w").unwrap();
        assert_eq!(table.schema.fields.len(), 1);
        assert_eq!(table.rows.iter().map(|row| row.row).collect::<Vec<_>>(), [2, 2, 2, 3]);
        let wrong = |text: &str, weight: &str| of(text, weight).unwrap_err().to_string();
        for weight in ["0", "-1", "1.5", "many", "", "1001"] {
            let said = wrong(&format!("a,w,y\n1,1,p\n0,{weight},n\n"), "w");
            assert!(said.starts_with(&format!("row 3, column \"w\": {weight:?} is no weight")), "{said}");
        }
        assert!(wrong("a,y\n1,p\n0,n\n", "y").contains("\"y\" is the target"));
        let heavy = format!("a,w,y\n{}0,1,n\n", "1,1000,p\n".repeat(100));
        assert!(wrong(&heavy, "w").contains("more than 100000 rows"), "{}", wrong(&heavy, "w"));
    }
}
