use super::dates::DateOrder;
use super::numbers::Unit;
use super::*;
use proptest::prelude::*;

fn of(cells: &[&str]) -> Understood {
    meaning("x", cells)
}

/// What a column is, in short: its meaning, how it is written, and the value of its first cell.
fn shown(name: &str, cells: &[&str]) -> String {
    match meaning(name, cells).meaning {
        Meaning::Numbers(form) => {
            format!("number {} = {}", form.parse(cells[0]).unwrap(), form.format(form.parse(cells[0]).unwrap()))
        }
        Meaning::Dates(form) => {
            format!("date {} = {}", form.parse(cells[0]).unwrap(), form.format(form.parse(cells[0]).unwrap()))
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

/// Cells between bars.
fn cells(column: &str) -> Vec<&str> {
    column.split('|').collect()
}

#[test]
fn columns_are_taken_for_what_they_mean() {
    let cases = [
        // Numbers.
        ("x", "3|-2.5|1e-3|+4", "number 3 = 3"),
        ("x", "-2.5|3", "number -2.5 = -2.5"),
        ("x", "1e-3|2", "number 0.001 = 0.001"),
        ("x", "+4|5", "number 4 = 4"),
        ("x", "−4|5", "number -4 = -4"),
        ("x", ".5|1.5", "number 0.5 = 0.5"),
        ("x", "0|1|1|0", "number 0 = 0"),
        ("x", "3,5|4,25|7", "number 3.5 = 3,5"),
        ("x", "0,123|0,456", "number 0.123 = 0,123"),
        ("x", "1,234|5,678", "number 1234 = 1,234"),
        ("x", "1,234|3,5", "number 1.234 = 1,234"),
        ("x", "1,234.5|17", "number 1234.5 = 1,234.5"),
        ("x", "1,234,567|17", "number 1234567 = 1,234,567"),
        ("x", "1.234,5|17", "number 1234.5 = 1.234,5"),
        ("x", "1.234.567|8.000", "number 1234567 = 1.234.567"),
        ("x", "1.234|5.678", "number 1.234 = 1.234"),
        ("x", "1 234|17", "number 1234 = 1 234"),
        ("x", "1\u{a0}234,5|17", "number 1234.5 = 1 234,5"),
        ("x", "1'234|17", "number 1234 = 1'234"),
        ("x", "1’234.5|17", "number 1234.5 = 1'234.5"),
        ("x", "45 %|7 %", "number 45 = 45 %"),
        ("x", "4,5%|7%", "number 4.5 = 4,5%"),
        ("x", "$12|$7.50", "number 12 = $12"),
        ("x", "-$1,200|$7.50", "number -1200 = -$1,200"),
        ("x", "$-12|$7", "number -12 = -$12"),
        ("x", "12 €|7,50 €", "number 12 = 12 €"),
        ("x", "EUR 12|EUR 7", "number 12 = EUR 12"),
        ("x", "12 kg|3.5kg", "number 12 = 12 kg"),
        ("x", "3.5kg|12 kg", "number 3.5 = 3.5kg"),
        ("x", "20.5 °C|-3 °C", "number 20.5 = 20.5 °C"),
        ("x", "12 m2|30 m2", "number 12 = 12 m2"),
        ("x", "1e5 kg|3 kg", "number 100000 = 100000 kg"),
        ("x", "05 min|12 min", "number 5 = 5 min"),
        ("x", "12.7|3.4|9.9|1.1|5.2|8.8|7.3|6.1|2.2", "number 12.7 = 12.7"),
        ("x", "17|4|99|23|58|61|72|36|5", "number 17 = 17"),
        ("x", "3|?|NA||5|nan", "number 3 = 3"),
        ("x", "1|2|3|4|5|6|7", "number 1 = 1"),
        ("x", "1|2|3|4|5|6|7|9", "number 1 = 1"),
        ("year", "1990|1991|1992|1993|1994|1995|1996|1997", "number 1990 = 1990"),
        ("id", "1|2|2|3", "number 1 = 1"),
        ("humid", "1|4|2|3", "number 1 = 1"),
        ("id", "1.5|2.5", "number 1.5 = 1.5"),
        // No numbers.
        ("x", "12 kg|300 g", "words"),
        ("x", "12 kg|300", "words"),
        ("x", "$12|12 $", "words"),
        ("x", "$12|12 €", "words"),
        ("x", "3,5|3.5", "words"),
        ("x", "007|008|007|009", "words"),
        ("x", "01234|54321|01234|54321|1", "words"),
        ("x", "00501|10001|20002|30003|40004|50005|60006|70007", "identifier"),
        ("x", "1234567890123456|2|2", "words"),
        ("x", "123456789012345|2|2", "number 123456789012345 = 123456789012345"),
        ("x", "inf|1|2", "words"),
        ("x", "infinity|-inf", "words"),
        ("x", "1e999|1", "words"),
        ("x", "1.2.3|1.2.4", "words"),
        ("x", "5-10|10-15", "words"),
        ("x", "<5|5|6", "words"),
        ("x", "1st|2nd|3rd", "words"),
        ("x", "0x1F|0x2A", "words"),
        ("x", "1,23,456|1", "words"),
        ("x", "12:30|13:45", "words"),
        ("x", "1|2|3|4|5|unknown", "words"),
        ("x", "%|1", "words"),
        // Dates.
        ("x", "2024-03-05|2023-12-31", "date 19787 = 2024-03-05"),
        ("x", "1970-01-01|1969-12-31", "date 0 = 1970-01-01"),
        ("x", "2024/3/5|2023/12/31", "date 19787 = 2024-03-05"),
        ("x", "05.03.2024|1.1.2024", "date 19787 = 2024-03-05"),
        ("x", "03.25.2024|1.1.2024", "date 19807 = 2024-03-25"),
        ("x", "3/5/2024|3/25/2024", "date 19787 = 2024-03-05"),
        ("x", "5/3/2024|25/3/2024", "date 19787 = 2024-03-05"),
        ("x", "3/5/2024|4/6/2024", "date 19787 = 2024-03-05"),
        ("x", "05-03-2024|25-03-2024", "date 19787 = 2024-03-05"),
        ("x", "2024-03-05T12:30|2024-03-06", "date 19787.520833333332 = 2024-03-05 12:30"),
        ("x", "2024-03-05 12:00:00|2024-03-06 00:00:00", "date 19787.5 = 2024-03-05 12:00"),
        ("x", "2024-03-05T12:00:00Z|2024-03-06T00:00:00.5Z", "date 19787.5 = 2024-03-05 12:00"),
        ("x", "2024-03-05T01:00:00+01:00|2024-03-06T00:00:00Z", "date 19787 = 2024-03-05"),
        ("x", "3/25/2024 6:00 PM|3/26/2024 12:00 AM", "date 19807.75 = 2024-03-25 18:00"),
        ("x", "2024-02-29|?|2024-03-01", "date 19782 = 2024-02-29"),
        ("x", "2023-02-29|2024-03-01", "words"),
        ("x", "3/5/24|4/6/24", "words"),
        ("x", "25/3/2024|3/25/2024", "words"),
        ("x", "2024-03-05|05.03.2024", "words"),
        ("x", "2024-03-05 25:00|2024-03-06", "words"),
        ("x", "2024-13-05|2024-03-06", "words"),
        // Words, names and texts.
        ("x", "red|green|red", "words"),
        ("x", "yes|no", "words"),
        ("x", "a|b|c|d|e|f|g", "words"),
        ("x", "a|b|c|d|e|f|g|h", "identifier"),
        ("x", "a|b|c|d|e|f|g|a|b|c|d|e", "words"),
        ("name", "Ann Lee|Bo Ek|Cy Fox|Di Ray|Ed Poe|Flo Kay|Gus Orr|Hal Day", "identifier"),
        ("x", "n1|n2|n3|n4|n5|n6|n7|n8|n9", "identifier"),
        ("x", "1|2|3|4|5|6|7|8", "identifier"),
        ("x", "0|1|2|3|4|5|6|7", "identifier"),
        ("x", "1001|1002|1003|1004|1005|1006|1007|1008", "identifier"),
        ("x", "8|7|6|5|4|3|2|1", "number 8 = 8"),
        ("id", "7|3|5", "identifier"),
        ("ID", "7|3|5", "identifier"),
        ("user_id", "7|3|5", "identifier"),
        ("PassengerId", "7|3|5", "identifier"),
        ("index", "7|3|5", "identifier"),
        ("user_id", "u7|u3|u5", "identifier"),
        (
            "x",
            "it was very good|not for me at all|would buy it again|broke after a day|my son likes it|what a bad thing|fine \
             for the price|works as it should",
            "text",
        ),
        ("x", "x|x|x", "constant"),
        ("x", "5|5", "constant"),
        ("x", "x||x", "words"),
        ("x", "1||1", "words"),
        ("x", "|?|NA", "empty"),
    ];
    assert!(cases.len() >= 40);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(name, column, wanted)| {
            let found = shown(name, &cells(column));
            (found != *wanted).then(|| format!("{name}: {column} is {found}, not {wanted}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(meaning("x", &[]).meaning, Meaning::Empty);
}

#[test]
fn what_may_surprise_is_said() {
    let cases = [
        ("12 kg|300 g", "values have different units, kg and g; taken for words"),
        ("12 kg|300 g|1 t", "values have different units, kg, g and t; taken for words"),
        ("12 kg|300", "values have the unit kg in some rows, and none in others; taken for words"),
        ("$12|12 $", "$ stands before some values, and behind others; taken for words"),
        ("3,5|3.5", "numbers have decimal points in some rows, and commas in others; taken for words"),
        ("1,234|17", "commas are read as separators of thousands: \"1,234\" is 1234"),
        ("1|2|3|4|5|unknown", "\"unknown\" is no number like the others; taken for words"),
        ("007|008|007|009", "has codes such as \"007\"; taken for words"),
        ("3/5/2024|4/6/2024", "dates are read with the month first: \"3/5/2024\" is 2024-03-05"),
        ("3/5/24|4/6/24", "years have two digits; write four of them; taken for words"),
        (
            "25/3/2024|3/25/2024",
            "dates begin with the month in some rows, and with the day in others; taken for words",
        ),
        ("2024-03-05|05.03.2024", "dates are written in different ways; taken for words"),
        (
            "2024-03-05|2024-03-06|2024-03-07|2024-03-08|soon",
            "\"soon\" is no date like the others; taken for words",
        ),
        (
            "2024-03-05|2024-03-06|2024-03-07|2024-03-08|2024-02-30",
            "\"2024-02-30\" is no date like the others; taken for words",
        ),
        ("1|2|3|4|5|6|7|8", "counts the rows, like an identifier"),
        ("a|b|c|d|e|f|g|h", "is different in nearly every row, like a name"),
    ];
    for (column, wanted) in cases {
        assert_eq!(of(&cells(column)).note.as_deref(), Some(wanted), "{column}");
    }
    for column in
        ["3/3/2024|4/4/2024", "05.03.2024|1.1.2024", "1,234.5|17", "1st|2nd|3rd", "12A|13B|12C", "1|2", "a|b"]
    {
        assert_eq!(of(&cells(column)).note, None, "{column}");
    }
}

/// Cells of later tables are of the form, or they are not taken.
#[test]
fn other_forms_are_not_parsed() {
    let Meaning::Numbers(form) = of(&["12 kg", "3.5 kg"]).meaning else { panic!() };
    assert_eq!(form.parse(" 7kg "), Some(7.));
    for cell in ["7", "7 g", "7,5 kg", "kg", "", "7 kg 3", "kg 7", "nan", "7 KG"] {
        assert_eq!(form.parse(cell), None, "{cell}");
    }
    let Meaning::Dates(form) = of(&["25/3/2024", "1/2/2024"]).meaning else { panic!() };
    assert_eq!(form.parse("5/3/2024"), form.parse("2024-03-05"));
    for cell in
        ["3/25/2024", "5.3.2024", "5/3/24", "2024/03/05", "31/4/2024", "5/3/2024 ", "5/3/2024 x", "1/1/0999"]
    {
        assert_eq!(form.parse(cell).is_some(), cell == "5/3/2024 ", "{cell}");
    }
}

#[test]
fn forms_are_kept_as_they_are() {
    for column in ["1.234,5 €|7 €", "3/25/2024|3/26/2024", "a|b", "x|x", "1|2.5"] {
        let meaning = of(&cells(column)).meaning;
        let kept = serde_json::to_string(&meaning).unwrap();
        assert_eq!(serde_json::from_str::<Meaning>(&kept).unwrap(), meaning, "{kept}");
    }
}

fn forms() -> impl Strategy<Value = NumberForm> {
    let separators = prop::sample::select(vec![
        ('.', None),
        (',', None),
        ('.', Some(',')),
        (',', Some('.')),
        ('.', Some(' ')),
        (',', Some('\'')),
    ]);
    let units = prop::sample::select(vec![
        ("kg", false),
        ("%", false),
        ("€", false),
        ("$", true),
        ("EUR", true),
        ("e", false),
    ]);
    (separators, prop::option::of((units, any::<bool>()))).prop_map(|((decimal, group), unit)| {
        let unit = unit.map(|((text, before), spaced)| Unit { text: text.into(), before, spaced });
        NumberForm { decimal, group, unit }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_parsed_as_they_are_formatted(form in forms(), value in prop::num::f64::NORMAL | prop::num::f64::ZERO, small in -1e6..1e6f64, whole in -2_000_000_000_000_000i64..2_000_000_000_000_000) {
        for value in [value, small, (small * 100.).round() / 100., whole as f64, (whole % 5000) as f64] {
            prop_assert_eq!(form.parse(&form.format(value)), Some(value), "{}", form.format(value));
        }
    }

    /// A column that is written in some form is read in a form of the same values.
    #[test]
    fn columns_of_a_form_are_numbers(form in forms(), values in prop::collection::vec(-99_999..99_999i32, 2..20)) {
        let texts: Vec<String> = values.iter().map(|v| form.format(f64::from(*v) / 8.)).collect();
        let cells: Vec<&str> = texts.iter().map(|t| &t[..]).collect();
        match NumberForm::of(&cells) {
            Numbers::All { form: found, ambiguous } => {
                prop_assert_eq!(&found.unit.as_ref().map(|u| &u.text), &form.unit.as_ref().map(|u| &u.text));
                // One that has decimals of other than three digits leaves no choice.
                if !ambiguous && values.iter().any(|v| v % 8 != 0 && (v % 4 == 0 || v % 2 == 0)) {
                    for (text, value) in texts.iter().zip(&values) {
                        prop_assert_eq!(found.parse(text), Some(f64::from(*value) / 8.), "{:?}", texts);
                    }
                }
            }
            other => prop_assert!(false, "{other:?}: {texts:?}"),
        }
    }

    #[test]
    fn dates_are_parsed_as_they_are_formatted(
        seconds in -30_000_000_000i64..250_000_000_000,
        order in prop::sample::select(vec![DateOrder::Year, DateOrder::Month, DateOrder::Day]),
        separator in prop::sample::select(vec!['-', '/', '.']),
    ) {
        let form = DateForm { order, separator };
        for seconds in [seconds, seconds / 60 * 60, seconds / 86_400 * 86_400] {
            let text = form.format(seconds as f64 / 86_400.);
            let found = form.parse(&text).map(|days| (days * 86_400.).round() as i64);
            prop_assert_eq!(found, Some(seconds), "{}", text);
        }
        prop_assert!(!form.format(f64::from_bits(seconds as u64)).is_empty());
    }

    #[test]
    fn any_text_has_a_meaning(name in ".{0,6}", cells in prop::collection::vec(prop_oneof![".{0,12}", "[-+0-9.,'/: eETkg%$€Z]{0,12}"], 0..12)) {
        let cells: Vec<&str> = cells.iter().map(|cell| &cell[..]).collect();
        match meaning(&name, &cells).meaning {
            Meaning::Numbers(form) => {
                for cell in cells.iter().filter(|cell| !is_missing(cell.trim())) {
                    let value = form.parse(cell);
                    prop_assert!(value.is_some(), "{cell:?} of {cells:?}");
                    prop_assert_eq!(value.and_then(|v| form.parse(&form.format(v))), value, "{:?}", form);
                }
            }
            Meaning::Dates(form) => {
                prop_assert!(cells.iter().filter(|cell| !is_missing(cell.trim())).all(|cell| form.parse(cell).is_some()));
            }
            _ => {}
        }
        for form in [f64::NAN, f64::INFINITY, f64::MIN, f64::MAX] {
            DateForm { order: DateOrder::Day, separator: '.' }.format(form);
            NumberForm { decimal: ',', group: Some('.'), unit: None }.format(form);
        }
    }
}
