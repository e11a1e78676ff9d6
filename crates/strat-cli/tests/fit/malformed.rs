//! Tables that cannot be learned, and what is said about each.

use super::strat;

/// A name, the file, options, and what the message should have.
type Malformed = (&'static str, Vec<u8>, &'static [&'static str], &'static [&'static str]);

/// More than forty tables that cannot be learned, and what is said about each. Nothing panics, and nothing is written.
#[test]
fn malformed_tables_are_named_by_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let many = |n: usize, cell: &dyn Fn(usize) -> String| (0..n).map(cell).collect::<String>();
    let wide = many(600, &|i| format!("c{i},"));
    let open_quote = format!("a,y\n1,p\n\"0,n\n{}", "1,p\n".repeat(500));
    let tables: Vec<Malformed> = vec![
        ("empty", b"".to_vec(), &[], &["empty"]),
        ("blank lines", b"\n\n \n".to_vec(), &[], &["empty"]),
        ("header alone", b"a,y\n".to_vec(), &[], &["no rows"]),
        ("one column", b"y\np\nn\n".to_vec(), &[], &["one column"]),
        ("short row", b"a,y\n1,p\n0\n".to_vec(), &[], &["row 3", "1 columns"]),
        ("long row", b"a,y\n1,p\n0,n,7\n".to_vec(), &[], &["row 3", "3 columns", "has 2"]),
        ("same names", b"a,a,y\n1,1,p\n0,0,n\n".to_vec(), &[], &["columns 1 and 2", "\"a\""]),
        ("no target", b"a,b\n1,p\n0,n\n".to_vec(), &[], &["no column \"y\"", "\"a\", \"b\""]),
        ("one class", b"a,y\n1,p\n0,p\n".to_vec(), &[], &["\"y\" is \"p\" in every row"]),
        ("no classes", b"a,y\n1,\n0,?\n".to_vec(), &[], &["\"y\" has no value in any row"]),
        (
            "numbers as target",
            format!("a,y\n{}", many(40, &|i| format!("{},{}.5\n", i % 2, i))).into(),
            &[],
            &["\"y\" has 40"],
        ),
        ("constant columns", b"a,b,y\n1,x,p\n1,x,n\n".to_vec(), &[], &["no column is left", "\"a\"", "\"b\""]),
        ("not UTF-8", b"a,y\n1,p\n\xe9,n\n".to_vec(), &[], &["row 3", "0xe9"]),
        ("UTF-16", b"\xff\xfea\0,\0y\0".to_vec(), &[], &["no rows"]),
        ("binary", b"a,y\n1,p\n\0,n\n".to_vec(), &[], &["row 3", "byte 0"]),
        ("open quote", open_quote.into(), &[], &["quote", "row 3"]),
        ("short open quote", b"a,y\n1,p\n0,\"n\n1,p\n".to_vec(), &[], &["row 3: a quote is not closed"]),
        ("long value", format!("a,y\n1,p\n{},n\n", "x".repeat(300)).into(), &[], &["\"a\"", "200 bytes"]),
        ("target left out", b"a,y\n1,p\n0,n\n".to_vec(), &["--irrelevant", "y"], &["\"y\" is the target"]),
        ("too wide", format!("{wide}y\n").into(), &[], &["601 columns"]),
        ("broken gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\0\0broken".to_vec(), &[], &["table.csv"]),
        ("no such column", b"a,y\n1,p\n0,n\n".to_vec(), &["--irrelevant", "q"], &["no column \"q\""]),
        (
            "other values",
            b"a,b,y\n1,x,p\n0,z,n\n".to_vec(),
            &["--cyclic", "a,b"],
            &["\"a\" and \"b\"", "0/1", "x/z"],
        ),
        ("not two values", b"a,y\n1,p\n0,n\n2,n\n".to_vec(), &["--flip-together", "a"], &["\"a\" has 3 values"]),
        ("short row of CRLF", b"a,y\r\n1,p\r\n\r\n0,n,7\r\n".to_vec(), &[], &["row 4", "3 columns"]),
        ("open quote of CRLF", b"a,y\r\n1,p\r\n0,\"n\r\n".to_vec(), &[], &["row 3: a quote"]),
        ("bells", format!("a,y\n1,p\n{},n\n", "\u{7}".repeat(60)).into(), &[], &["\"a\"", "200 bytes"]),
        ("quotes", format!("a,y\n1,p\n{},n\n", "\"\"\"\"".repeat(150)).into(), &[], &["\"a\"", "200 bytes"]),
        ("latin-1", b"name,y\nAndr\xe9,p\nEva,n\n".to_vec(), &[], &["row 2, column 1", "not UTF-8", "0xe9"]),
        ("broken UTF-16", b"\xff\xfea\0,\0y\0\n\0\x3d\xd8,\0p\0\n\0".to_vec(), &[], &["row 2", "not UTF-16"]),
        ("odd UTF-16", b"\xfe\xff\0a\0,\0y\0\n\x001\0,\0p\0\n\0".to_vec(), &[], &["row 3", "half of a unit"]),
        ("one row", b"a,y\n1,p\n".to_vec(), &[], &["\"y\" is \"p\" in every row"]),
        ("all rows alike", format!("a,b,y\n{}", "1,x,p\n".repeat(50)).into(), &[], &["\"p\" in every row"]),
        ("same inputs", b"a,b,y\n1,x,p\n1,x,n\n1,x,n\n".to_vec(), &[], &["no column is left", "\"a\"", "\"b\""]),
        (
            "101 classes",
            format!("a,y\n{}", many(404, &|i| format!("{},k{}\n", i % 7, i % 101))).into(),
            &[],
            &["\"y\" has 101", "at most 100"],
        ),
        ("long cell", format!("a,y\n1,p\n{},n\n", "x ".repeat(600)).into(), &[], &["row 3, column \"a\"", "1000"]),
        (
            "names alone",
            format!("name,y\n{}", many(12, &|i| format!("n{i},{}\n", ["p", "n"][i % 2]))).into(),
            &[],
            &["no column is left", "\"name\"", "names or numbers the rows"],
        ),
        (
            "sentences alone",
            format!("note,y\n{}", many(12, &|i| format!("it was the {i}th of many days,{}\n", ["p", "n"][i % 2])))
                .into(),
            &[],
            &["no column is left", "\"note\"", "free text"],
        ),
        ("no such number", b"a,y\n1,p\n0,n\n".to_vec(), &["--words", "#3"], &["no column \"#3\"", "\"a\", \"y\""]),
        ("target without header", b"1,p\n0,n\n".to_vec(), &["--no-header"], &["no column \"y\"", "column 2"]),
        ("HTML", b"<!doctype html>\n<html><body>not found</body></html>\n".to_vec(), &[], &["one column"]),
        ("a workbook", b"PK\x03\x04\x14\0\x06\0".to_vec(), &[], &["row 1", "byte 0"]),
        ("JSON", b"[{\"a\": 1, \"y\": \"p\"},\n {\"a\": 0, \"y\": \"n\"}]\n".to_vec(), &[], &["table.csv"]),
        ("too many rows", format!("a,y\n{}", "1,p\n0,n\n".repeat(50_001)).into(), &[], &["more than 100000 rows"]),
    ];
    assert!(tables.len() >= 40);
    for (name, bytes, more, words) in tables {
        std::fs::write(at.join("table.csv"), bytes).unwrap();
        let args = [&["fit", "table.csv", "--target", "y", "--out", "run"][..], more].concat();
        let said = strat(at, &args);
        let error = String::from_utf8(said.stderr).unwrap();
        assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{name}: {error}");
        // What cannot be kept cannot be learned without keeping it either.
        let unkept = strat(at, &[&args[..4], more].concat());
        assert_eq!(
            (unkept.status.code(), String::from_utf8(unkept.stderr).unwrap()),
            (Some(2), error.clone()),
            "{name}"
        );
        assert!(!error.contains("panicked"), "{name}: {error}");
        assert!(words.iter().all(|w| error.contains(w)), "{name}: {error}");
        assert!(!at.join("run").exists(), "{name}");
    }
    assert_eq!(strat(at, &["fit", "nowhere.csv", "--target", "y"]).status.code(), Some(2));
}

/// As long as a text may be, and with as much to escape: what is learned is kept, and read again.
#[test]
fn what_is_accepted_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let bells = "\u{7}".repeat(33);
    let name = "ü".repeat(100);
    let table = format!("{name},b,y\n{bells},x,{bells}\n0,z,{}\n", "n".repeat(200));
    // The longest name of a file, with something to escape in it.
    let file = format!("{}\u{1b}{}.csv", "t".repeat(100), "ü".repeat(70));
    std::fs::write(at.join(&file), table).unwrap();
    let args = ["fit", &file, "--target", "y", "--epochs", "5", "--learners", "2", "--out", "run"];
    let said = strat(at, &args);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(strat(at, &["eval", "run"]).status.success());
}

/// Odd tables that can be learned: each is, or the program would say why not.
#[test]
fn odd_tables_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rows = |n: usize, row: &dyn Fn(usize) -> String| (0..n).map(row).collect::<String>();
    let class = |i: usize| if i.is_multiple_of(2) { "p" } else { "n" };
    let utf16_of = |big: bool| -> Vec<u8> {
        let units = "\u{feff}a,y\nä,p\nö,n\n".encode_utf16();
        units.flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    };
    let wide =
        |row: &str| (0..500).map(|c| format!("{row}{},", if row == "c" { c } else { c % 7 })).collect::<String>();
    let tables: Vec<(&str, Vec<u8>, &str)> = vec![
        ("numbers", format!("a,y\n{}", rows(40, &|i| format!("{i}.5,{}\n", class(i)))).into(), ""),
        ("units", format!("a,y\n{}", rows(12, &|i| format!("{} kg,{}\n", i * 3, class(i)))).into(), ""),
        (
            "mixed units",
            format!("a,y\n{}", rows(12, &|i| format!("{} {},{}\n", i / 3, ["kg", "g"][i % 2], class(i)))).into(),
            "different units, kg and g",
        ),
        ("percent", format!("a,y\n{}", rows(12, &|i| format!("{} %,{}\n", i * 3, class(i)))).into(), ""),
        ("decimal commas", format!("a;y\n{}", rows(12, &|i| format!("{i},5;{}\n", class(i)))).into(), ""),
        ("dates", format!("a,y\n{}", rows(12, &|i| format!("2024-03-{:02},{}\n", 2 * i + 1, class(i)))).into(), ""),
        (
            "German dates",
            format!("a,y\n{}", rows(12, &|i| format!("{:02}.03.2024,{}\n", 2 * i + 1, class(i)))).into(),
            "",
        ),
        (
            "American dates",
            format!("a,y\n{}", rows(12, &|i| format!("3/{}/2024,{}\n", 2 * i + 1, class(i)))).into(),
            "",
        ),
        ("Excel", format!("sep=;\r\na;y\r\n{}", rows(6, &|i| format!("{};{}\r\n", i % 3, class(i)))).into(), ""),
        ("UTF-16", utf16_of(false), ""),
        ("500 columns", format!("{}y\n{}p\n{}n\n", wide("c"), wide("u"), wide("v")).into(), ""),
        ("43 classes", format!("a,y\n{}", rows(86, &|i| format!("{},k{}\n", i % 43, i % 43))).into(), ""),
        (
            "197 : 3",
            format!("a,y\n{}", rows(200, &|i| format!("{},{}\n", i % 5, if i < 3 { "p" } else { "n" }))).into(),
            "",
        ),
        ("contradictions", b"a,y\n1,p\n1,n\n0,p\n0,n\n".to_vec(), "rows 2 and 3 are alike"),
        ("outvoted", b"a,b,y\n1,0,p\n1,0,n\n1,0,n\n0,0,n\n".to_vec(), "rows 2, 3 and 4 are alike"),
        ("gaps", b"a,b,y\n1,,p\n,x,n\nNA,x,n\n2,?,p\n".to_vec(), "has no value in row"),
        ("UTF-16, big end", utf16_of(true), ""),
        ("mark of UTF-8", b"\xef\xbb\xbfa,y\n1,p\n0,n\n".to_vec(), ""),
        ("quoted newlines", b"a,y\n\"1\n2\",p\n\"3\n4\",n\n".to_vec(), ""),
        ("old Macintosh", b"a,y\r1,p\r0,n\r".to_vec(), ""),
        ("comments", b"# made by me\n# in May\na,b,y\n1,0,p\n0,1,n\n".to_vec(), ""),
        ("tabs", b"a\ty\n1\tp\n0\tn\n".to_vec(), ""),
        ("pipes", b"a|y\n1|p\n0|n\n".to_vec(), ""),
        ("delimiters at the end", b"a,y,\n1,p,\n0,n,\n".to_vec(), "\"column 3\": is \"(missing)\" in every row"),
        ("no names", b",,y\n1,x,p\n0,z,n\n".to_vec(), ""),
        ("spaces", b" a , y \n 1 , p \n 0 , n \n".to_vec(), ""),
        ("blank lines between", b"a,y\n\n1,p\n   \n0,n\n\n\n".to_vec(), ""),
        ("currency", format!("a,y\n{}", rows(12, &|i| format!("€ {}.50,{}\n", i * 3, class(i)))).into(), ""),
        (
            "thousands",
            format!("a;y\n{}", rows(12, &|i| format!("{},{:03};{}\n", i + 1, i * 7, class(i)))).into(),
            "commas are read as separators of thousands",
        ),
        ("times", format!("a,y\n{}", rows(12, &|i| format!("{:02}:30,{}\n", i % 4, class(i)))).into(), ""),
        ("powers", format!("a,y\n{}", rows(12, &|i| format!("{i}.5e-3,{}\n", class(i)))).into(), ""),
        (
            "numbers and words",
            format!("a,y\n{}", rows(12, &|i| format!("{},{}\n", ["1", "2", "none", "7"][i % 4], class(i)))).into(),
            "",
        ),
        (
            "a word among numbers",
            format!(
                "a,y\n{}",
                rows(12, &|i| if i == 5 { "many,p\n".into() } else { format!("{},{}\n", i % 4, class(i)) })
            )
            .into(),
            "\"many\" is no number like the others",
        ),
        ("infinite", b"a,y\ninf,p\n1,n\nnan,p\n-inf,n\n2,p\n".to_vec(), "no value in row 4"),
        ("truth", b"a,b,y\nTRUE,t,p\nFALSE,f,n\nTRUE,f,p\n".to_vec(), ""),
        (
            "codes",
            format!("a,y\n{}", rows(12, &|i| format!("{:03},{}\n", i % 4, class(i)))).into(),
            "has codes such as \"000\"",
        ),
        ("minus nothing", b"a,y\n-0,p\n0,p\n1,n\n-1,n\n0.0,p\n".to_vec(), ""),
        ("two huge numbers", b"a,y\n1e308,p\n-1e308,n\n1e308,p\n-1e308,n\n".to_vec(), ""),
        ("huge numbers", b"a,y\n1e308,p\n-1e308,n\n1e-308,p\n0,n\n".to_vec(), ""),
        (
            "dates of three forms",
            b"a,b,y\n2024-03-01,1,p\n02.03.2024,0,n\n3/14/2024,1,p\n2024-03-04,0,n\n05.03.2024,1,p\n".to_vec(),
            "taken for words",
        ),
        (
            "a number for every row",
            format!("id,a,y\n{}", rows(12, &|i| format!("{},{},{}\n", 100 + i, i % 2, class(i)))).into(),
            "\"id\": names or numbers the rows",
        ),
        (
            "sentences",
            format!(
                "note,a,y\n{}",
                rows(12, &|i| format!("it was the {i}th of many days,{},{}\n", i % 2, class(i)))
            )
            .into(),
            "\"note\": is free text",
        ),
        ("classes of a row", b"a,y\n1,p\n0,n\n2,q\n1,p\n0,n\n".to_vec(), ""),
        ("100 classes", format!("a,y\n{}", rows(200, &|i| format!("w{},k{}\n", i % 30, i % 100))).into(), ""),
        (
            "many words",
            format!("a,y\n{}", rows(160, &|i| format!("w{},{}\n", i % 50, class(i)))).into(),
            "has 50 different values",
        ),
        ("words in another case", b"a,y\nYes,p\nno,n\nyes,p\nno,n\n".to_vec(), "\"Yes\" and \"yes\" are taken for"),
        ("rows without an answer", b"a,y\n1,p\n0,n\n1,\n0,?\n".to_vec(), "no value in rows 4 and 5"),
        ("numbers as classes", b"a,y\n1,1\n0,0\n1,1\n0,0\n".to_vec(), ""),
        ("no header", b"1,p\n0,n\n1,p\n".to_vec(), "the first row is taken for a row"),
        ("a table of gaps", b"a,b,y\n,,p\n,1,n\n,,p\n,0,n\n".to_vec(), "\"a\": is \"(missing)\" in every row"),
    ];
    assert!(tables.len() >= 40);
    for (name, bytes, note) in tables {
        std::fs::write(at.join("table.csv"), bytes).unwrap();
        let target = if name == "no header" { "#2" } else { "y" };
        let args =
            ["fit", "table.csv", "--target", target, "--epochs", "2", "--learners", "1", "--json", "--no-held-out"];
        let said = strat(at, &args);
        let heard = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{name}: {heard}");
        assert!(heard.contains(note), "{name}: {heard}");
        // What is said is in the JSON too.
        let found = String::from_utf8(said.stdout).unwrap();
        let found: serde_json::Value = serde_json::from_str(found.lines().last().unwrap()).unwrap();
        let notes = found["notes"].as_array().unwrap();
        assert!(notes.iter().all(|n| heard.contains(n.as_str().unwrap())), "{name}: {notes:?}, {heard}");
        assert!(note.is_empty() || notes.iter().any(|n| n.as_str().unwrap().contains(note)), "{name}: {notes:?}");
    }
}
