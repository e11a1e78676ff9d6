use super::*;
use crate::task::table::sheet::Header;
use std::path::Path;

fn labelled(text: &str, target: &str) -> Result<LabelledTable, SchemaError> {
    let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
    LabelledTable::of(&sheet, target, &Told::default(), &Symmetries::default())
}

/// In ten rows of a ring one place may never change, and still it is part of the ring.
#[test]
fn columns_that_change_places_share_their_values() {
    let sheet = |text: &str| Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
    let ring = |names: &str| Symmetries {
        cyclic: vec![names.split(',').map(String::from).collect()],
        ..Symmetries::default()
    };
    let of =
        |text: &str, names: &str| LabelledTable::of(&sheet(text), "y", &Told::default(), &ring(names)).unwrap();
    let l = of("a,b,c,y\n1,0,2,p\n0,0,1,n\n", "a,b,c");
    assert!(l.schema.fields.iter().all(|f| f.values == ["0", "1", "2"]) && l.schema.fields.len() == 3);
    assert!(l.notes.is_empty(), "{:?}", l.notes);
    assert_eq!(l.rows[0].input, [1, 0, 2]);
    // Whatever the order in which they are named.
    let l = of("a,b,c,y\non,off,on,p\non,off,off,n\n", "a,b,c");
    assert!(l.schema.fields.iter().all(|f| f.values == ["off", "on"]) && l.schema.fields.len() == 3);
    // Columns that have nothing in common do not share anything.
    let l = of("a,b,y\n1,red,p\n0,green,n\n", "a,b");
    assert_eq!(l.schema.fields[1].values, ["green", "red"]);
}

#[test]
fn values_are_numbered_by_size_or_letters() {
    let l = labelled("size,colour,ok\n10,red,yes\n9,blue,no\n,red,yes\n9,blue,no\n", "ok").unwrap();
    assert_eq!(l.schema.fields[0].values, ["9", "10", MISSING]);
    assert_eq!(l.schema.fields[1].values, ["blue", "red"]);
    assert_eq!(l.schema.classes, ["no", "yes"]);
    assert_eq!(l.rows[0], LabelledRow { row: 2, input: vec![1, 1], numbers: vec![Some(10.0)], class: 1 });
    assert_eq!(l.notes, [Note::Missing { column: "size".into(), rows: vec![4] }]);
}

#[test]
fn words_that_differ_in_case_alone_are_pointed_out() {
    let l = labelled("x,y\nYes,a\nno,A\nyes,a\nno,A\n", "y").unwrap();
    let said: Vec<String> = l.notes.iter().map(Note::to_string).collect();
    let hint = "are taken for different values; write them alike if they are the same";
    assert_eq!(said, [format!("\"x\": \"Yes\" and \"yes\" {hint}"), format!("\"y\": \"A\" and \"a\" {hint}")]);
}

#[test]
fn unusual_columns_are_left_out_and_named() {
    let rows: String = (0..40).map(|i| format!("{i},same,{},{}\n", i % 2, i % 2)).collect();
    let l = labelled(&format!("id,c,x,y\n{rows}"), "y").unwrap();
    let said: Vec<String> = l.notes.iter().map(Note::to_string).collect();
    assert!(said[0].starts_with("\"id\": names or numbers the rows; left out"), "{said:?}");
    assert_eq!(said[1], "\"c\": is \"same\" in every row; left out");
    assert_eq!(l.schema.fields.len(), 1);
    let rows: String = (0..9).map(|i| format!("n{i},{},{}\n", i % 2, i % 2)).collect();
    let l = labelled(&format!("name,x,y\n{rows}"), "y").unwrap();
    assert!(l.notes[0].to_string().starts_with("\"name\": names or numbers the rows; left out"), "{:?}", l.notes);
}

#[test]
fn contradicting_rows_are_noise() {
    let l = labelled("x,y\n1,a\n1,a\n1,b\n0,b\n", "y").unwrap();
    assert_eq!(
        l.notes[0].to_string(),
        "rows 2, 3 and 4 are alike, but have different answers; some of these are wrong, or by chance"
    );
    assert_eq!(l.rows.len(), 4);
    // In the same range, but not the same number.
    let rows: String = (0..40).map(|i| format!("{i}.5,{}\n", i % 2)).collect();
    let l = labelled(&format!("x,y\n{rows}"), "y").unwrap();
    assert!(l.notes.is_empty() && l.schema.fields[0].values.len() < 10, "{:?}", l.notes);
}

#[test]
fn nothing_to_learn_is_said() {
    let error = |text: &str, target: &str| labelled(text, target).unwrap_err().to_string();
    assert_eq!(error("x,y\n1,a\n0,a\n", "y"), "the target \"y\" is \"a\" in every row; there is nothing to learn");
    assert_eq!(error("x,y\n1,a\n0,b\n", "z"), "there is no column \"z\"; the columns are \"x\", \"y\"");
    assert_eq!(error("x,y\n1,\n0,?\n", "y"), "the target \"y\" has no value in any row");
}
