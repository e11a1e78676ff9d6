//! Numbers as people write them.

use serde::{Deserialize, Serialize};

/// From so many digits on, an integer is a code: `f64` does not hold all of them.
const MOST_DIGITS: usize = 15;
/// The longest unit, in characters.
const LONGEST_UNIT: usize = 16;
/// What may stand before a number, longer ones first.
const CURRENCIES: [&str; 56] = [
    "US$", "AU$", "CA$", "NZ$", "HK$", "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "SEK",
    "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY", "RUB", "UAH", "BRL", "MXN", "ARS", "ZAR", "KRW", "SGD",
    "HKD", "ILS", "AED", "SAR", "THB", "IDR", "MYR", "PHP", "VND", "Fr.", "Rs.", "A$", "C$", "R$", "Rs", "$", "€",
    "£", "¥", "₹", "₽", "₩", "₺", "₴",
];
/// Units of which several in a column are a mistake rather than a code.
const UNITS: [&str; 60] = [
    "%", "‰", "°", "°C", "°F", "kg", "g", "mg", "µg", "t", "lb", "lbs", "oz", "m", "cm", "mm", "km", "µm", "nm",
    "ft", "in", "mi", "yd", "m²", "m2", "m³", "m3", "km²", "ha", "l", "L", "ml", "mL", "cl", "dl", "s", "ms",
    "min", "h", "d", "days", "day", "hours", "hour", "years", "year", "months", "weeks", "km/h", "m/s", "mph", "W",
    "kW", "kWh", "V", "mV", "mA", "Hz", "kHz", "Pa",
];

/// How the numbers of a column are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NumberForm {
    /// What stands before decimals: a point or a comma.
    pub decimal: char,
    /// What may stand between thousands.
    pub group: Option<char>,
    /// What every number is followed or preceded by.
    pub unit: Option<Unit>,
}

/// A unit, a currency or a percent sign. Numbers are in it: `45 %` is 45.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unit {
    /// The unit as it is written.
    pub text: String,
    /// Whether it stands before the number.
    pub before: bool,
    /// Whether there is a space between both.
    pub spaced: bool,
}

impl Unit {
    fn is_same(&self, other: &Unit) -> bool {
        (&self.text, self.before) == (&other.text, other.before)
    }

    /// Whether it is one that many use.
    fn is_known(&self) -> bool {
        UNITS.contains(&&self.text[..]) || CURRENCIES.contains(&&self.text[..])
    }
}

/// A number in its parts.
#[derive(Clone, Debug)]
struct Parts {
    negative: bool,
    /// Digits and what stands between them.
    digits: String,
    /// What follows them, such as `e-3`.
    exponent: String,
    unit: Option<Unit>,
}

/// Spaces, apostrophes and signs look alike in several characters.
fn plain(c: char) -> char {
    match c {
        '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' => ' ',
        '’' | '\u{2bc}' => '\'',
        '\u{2212}' => '-',
        c => c,
    }
}

fn is_unit(text: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || "%‰°µ".contains(c);
    let other = |c: char| letter(c) || " /.²³·^$€£¥₹₽₩₺₴".contains(c);
    let text = text.strip_suffix(['2', '3']).unwrap_or(text);
    let first = text.chars().next();
    text.chars().count() <= LONGEST_UNIT
        && first.is_some_and(|c| letter(c) || CURRENCIES.contains(&text))
        && text.chars().all(other)
        && text.split(' ').count() <= 3
}

fn sign(text: &str) -> (Option<bool>, &str) {
    match text.strip_prefix(['-', '+']) {
        Some(rest) => (Some(text.starts_with('-')), rest),
        None => (None, text),
    }
}

impl Parts {
    fn of(cell: &str) -> Option<Parts> {
        // Longer than any number with its unit.
        if cell.len() > 400 {
            return None;
        }
        let cell: String = cell.trim().chars().map(plain).collect();
        let (outer, rest) = sign(&cell);
        let currency = CURRENCIES.iter().find(|c| rest.starts_with(**c));
        let after_currency = currency.map_or(rest, |c| &rest[c.len()..]);
        let before =
            currency.map(|c| Unit { text: (*c).into(), before: true, spaced: after_currency.starts_with(' ') });
        let rest = if before.is_some() { after_currency.trim_start() } else { rest };
        let (inner, rest) = if outer.is_none() { sign(rest) } else { (None, rest) };
        let run = rest.find(|c: char| !c.is_ascii_digit() && !"., '".contains(c)).unwrap_or(rest.len());
        let end = rest[..run].rfind(|c: char| c.is_ascii_digit())? + 1;
        let (digits, rest) = rest.split_at(end);
        if digits.starts_with([' ', '\'']) {
            return None;
        }
        let exponent = exponent(rest);
        let rest = &rest[exponent..];
        let unit = match (before, rest.trim_start()) {
            (before, "") => before,
            (None, text) if is_unit(text) => {
                Some(Unit { text: text.into(), before: false, spaced: rest.starts_with(' ') })
            }
            _ => return None,
        };
        let exponent = cell[cell.len() - rest.len() - exponent..cell.len() - rest.len()].to_string();
        Some(Parts { negative: outer.or(inner) == Some(true), digits: digits.into(), exponent, unit })
    }

    /// The value, if thousands and decimals are separated like this.
    fn value(&self, decimal: char, group: Option<char>) -> Option<f64> {
        let (whole, decimals) = match self.digits.split_once(decimal) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (&self.digits[..], None),
        };
        let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if decimals.is_some_and(|d| d.is_empty() || !all_digits(d)) {
            return None;
        }
        let groups: Vec<&str> = match group {
            Some(group) => whole.split(group).collect(),
            None => vec![whole],
        };
        let grouped = match &groups[..] {
            [first, rest @ ..] if !rest.is_empty() => {
                (1..=3).contains(&first.len()) && !first.starts_with('0') && rest.iter().all(|g| g.len() == 3)
            }
            _ => true,
        };
        let whole = groups.concat();
        let is_code = match (decimals, &self.unit) {
            (None, _) if whole.len() > MOST_DIGITS => true,
            (None, None) => whole.len() > 1 && whole.starts_with('0'),
            _ => false,
        };
        if !grouped || is_code || !all_digits(&whole) || whole.is_empty() && decimals.is_none() {
            return None;
        }
        let sign = if self.negative { "-" } else { "" };
        let text = format!("{sign}{whole}.{}{}", decimals.unwrap_or("0"), self.exponent);
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether it has digits alone, as a code has.
    fn is_code(&self) -> bool {
        let digits = self.digits.bytes().all(|b| b.is_ascii_digit());
        digits && self.exponent.is_empty() && self.unit.is_none() && self.value('.', None).is_none()
    }
}

/// How long the exponent is that a text begins with.
fn exponent(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return 0 };
    let digits = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 { 0 } else { text.len() - digits.len() + count }
}

/// What the cells of a column are as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// All are numbers; the comma may also have been meant for decimals.
    All { form: NumberForm, ambiguous: bool },
    /// All are codes or integers, at least one with zeros before it or with too many digits: the first such.
    Codes(usize),
    /// All are numbers, but for these reasons not of one form.
    Mixed(String),
    /// Most are numbers; the first that is none.
    Most(usize),
    /// They are no numbers.
    None,
}

/// Separators that columns have, likelier ones first.
const SEPARATORS: [(char, Option<char>); 8] = [
    ('.', None),
    ('.', Some(',')),
    (',', None),
    (',', Some('.')),
    ('.', Some(' ')),
    (',', Some(' ')),
    ('.', Some('\'')),
    (',', Some('\'')),
];

impl NumberForm {
    /// The value of a cell; none if it is not of this form.
    pub fn parse(&self, cell: &str) -> Option<f64> {
        let parts = Parts::of(cell)?;
        let same = match (&parts.unit, &self.unit) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is_same(b),
            _ => false,
        };
        if same { parts.value(self.decimal, self.group) } else { None }
    }

    /// A value as it would stand in a cell: [`NumberForm::parse`] gives it back.
    pub fn format(&self, value: f64) -> String {
        let size = value.abs();
        let text = if size != 0. && !(1e-5..1e15).contains(&size) { format!("{size:e}") } else { size.to_string() };
        let (text, exponent) = text.split_once('e').map_or((&text[..], None), |(text, e)| (text, Some(e)));
        let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, d)| (whole, Some(d)));
        let mut out = String::new();
        for (i, digit) in whole.chars().enumerate() {
            if let Some(group) = self.group
                && value.is_finite()
                && i > 0
                && (whole.len() - i).is_multiple_of(3)
            {
                out.push(group);
            }
            out.push(digit);
        }
        if let Some(decimals) = decimals {
            out.push(self.decimal);
            out += decimals;
        }
        if let Some(exponent) = exponent {
            out.push('e');
            out += exponent;
        }
        let sign = if value < 0. { "-" } else { "" };
        match &self.unit {
            None => format!("{sign}{out}"),
            Some(Unit { text, before, spaced }) => {
                let space = if *spaced { " " } else { "" };
                if *before { format!("{sign}{text}{space}{out}") } else { format!("{sign}{out}{space}{text}") }
            }
        }
    }

    /// How the cells of a column are written.
    pub(super) fn of(cells: &[&str]) -> Numbers {
        let parts: Vec<Option<Parts>> = cells.iter().map(|cell| Parts::of(cell)).collect();
        let numbers: Vec<&Parts> = parts.iter().flatten().collect();
        let Some(first) = numbers.first() else { return Numbers::None };
        let complete = numbers.len() == cells.len();
        if !complete && (5 * numbers.len() < 4 * cells.len() || cells.len() < 5) {
            return Numbers::None;
        }
        if complete && let Some(at) = numbers.iter().position(|p| p.is_code()) {
            let others = numbers.iter().all(|p| p.is_code() || p.unit.is_none() && p.value('.', None).is_some());
            return if others { Numbers::Codes(at) } else { Numbers::None };
        }
        let mut units: Vec<Option<&Unit>> = vec![];
        for unit in numbers.iter().map(|p| p.unit.as_ref()) {
            if !units.iter().any(|u| *u == unit || u.zip(unit).is_some_and(|(a, b)| a.is_same(b))) {
                units.push(unit);
            }
        }
        if units.len() > 1 {
            return mixed_units(&units, complete);
        }
        let fits = |decimal, group| numbers.iter().all(|p| p.value(decimal, group).is_some());
        let Some((decimal, group)) = SEPARATORS.into_iter().find(|(d, g)| fits(*d, *g)) else {
            let comma = numbers.iter().any(|p| p.value(',', None).is_some() && p.value('.', None).is_none());
            let point = numbers.iter().any(|p| p.value('.', None).is_some() && p.digits.contains('.'));
            return match complete && comma && point {
                true => Numbers::Mixed("numbers have decimal points in some rows, and commas in others".into()),
                false => Numbers::None,
            };
        };
        if let Some(at) = parts.iter().position(Option::is_none) {
            return Numbers::Most(at);
        }
        let ambiguous = (decimal, group) == ('.', Some(',')) && fits(',', None);
        Numbers::All { form: NumberForm { decimal, group, unit: first.unit.clone() }, ambiguous }
    }
}

/// What a column with several units is.
fn mixed_units(units: &[Option<&Unit>], complete: bool) -> Numbers {
    let named: Vec<&Unit> = units.iter().copied().flatten().collect();
    let known = named.iter().any(|u| u.is_known()) && named.len() <= 4;
    match &named[..] {
        _ if !known || !complete => Numbers::None,
        [unit] => Numbers::Mixed(format!("values have the unit {} in some rows, and none in others", unit.text)),
        [a, b] if a.text == b.text => {
            Numbers::Mixed(format!("{} stands before some values, and behind others", a.text))
        }
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|u| &u.text[..]).collect();
            Numbers::Mixed(format!("values have different units, {} and {}", first.join(", "), last.text))
        }
        [] => Numbers::None,
    }
}
