//! Dates as people write them.

use serde::{Deserialize, Serialize};

/// Which part of a date comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DateOrder {
    /// `2024-03-05`
    Year,
    /// `3/5/2024` is the fifth of March.
    Month,
    /// `5.3.2024` is the fifth of March.
    Day,
}

/// How the dates of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DateForm {
    /// The order of parts.
    pub order: DateOrder,
    /// What stands between them.
    pub separator: char,
}

/// Days from 1970-01-01 to a day of the Gregorian calendar.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the day of a leap year comes last.
    let year = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day so many days after 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A number of some digits.
fn digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    (lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// A date in its parts.
#[derive(Clone, Copy, Debug)]
struct Parts {
    separator: char,
    /// In the order in which they stand.
    parts: [i64; 3],
    year_first: bool,
    /// Whether the year has two digits.
    short: bool,
    /// The time of day, in days.
    time: f64,
}

impl Parts {
    fn of(cell: &str) -> Option<Parts> {
        let cell = cell.trim();
        // Longer than any date with its time.
        if cell.len() > 40 {
            return None;
        }
        let separator = cell.chars().find(|c| !c.is_ascii_digit()).filter(|c| "-/.".contains(*c))?;
        let (date, time) = cell.split_once(['T', ' ']).map_or((cell, None), |(date, time)| (date, Some(time)));
        let mut texts = date.split(separator);
        let (a, b, c) = (texts.next()?, texts.next()?, texts.next()?);
        let (year_first, short) = (a.len() == 4, a.len() != 4 && c.len() == 2);
        let parts = match year_first {
            true => [digits(a, 4..=4)?, digits(b, 1..=2)?, digits(c, 1..=2)?],
            false => [digits(a, 1..=2)?, digits(b, 1..=2)?, digits(c, if short { 2..=2 } else { 4..=4 })?],
        };
        let time = time.map_or(Some(0.), time_of)?;
        texts.next().is_none().then_some(Parts { separator, parts, year_first, short, time })
    }

    fn value(&self, order: DateOrder) -> Option<f64> {
        let [a, b, c] = self.parts;
        let (year, month, day) = match order {
            DateOrder::Year => (a, b, c),
            DateOrder::Month => (c, a, b),
            DateOrder::Day => (c, b, a),
        };
        let right = self.year_first == (order == DateOrder::Year) && !self.short && year >= 1000;
        let valid = right && (1..=12).contains(&month) && (1..=31).contains(&day);
        let days = if valid { days_of(year, month, day) } else { return None };
        (date_of(days) == (year, month, day)).then_some(days as f64 + self.time)
    }
}

/// A time of day in days: `12:30`, `12:30:15.5`, with `Z`, `+01:00` or `PM` behind.
fn time_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let upper = text.to_ascii_uppercase();
    let (text, half) = match upper.strip_suffix("AM").map(|t| (t, 0)).or(upper.strip_suffix("PM").map(|t| (t, 12)))
    {
        Some((text, half)) => (text.trim_end(), Some(half)),
        None => (&upper[..], None),
    };
    let (text, offset) = match text.find(['+', '-']) {
        Some(at) => {
            let (hours, minutes) = text[at + 1..].split_once(':')?;
            let minutes = digits(hours, 2..=2)? * 60 + digits(minutes, 2..=2)?;
            (&text[..at], if text[at..].starts_with('-') { -minutes } else { minutes })
        }
        None => (text.strip_suffix('Z').unwrap_or(text), 0),
    };
    let mut parts = text.split(':');
    let (hours, minutes) = (digits(parts.next()?, 1..=2)?, digits(parts.next()?, 2..=2)?);
    let (seconds, fraction) = match parts.next() {
        Some(seconds) => {
            let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
            digits(fraction, 1..=9)?;
            (digits(whole, 2..=2)?, format!("0.{fraction}").parse::<f64>().ok()?)
        }
        None => (0, 0.),
    };
    let hours = match half {
        Some(half) if (1..=12).contains(&hours) => hours % 12 + half,
        Some(_) => return None,
        None => hours,
    };
    if parts.next().is_some() || hours > 23 || minutes > 59 || seconds > 59 || offset.abs() >= 24 * 60 {
        return None;
    }
    Some((((hours * 60 + minutes - offset) * 60 + seconds) as f64 + fraction) / 86_400.)
}

/// What the cells of a column are as dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dates {
    /// All are dates; day and month may also have been meant the other way.
    All { form: DateForm, ambiguous: bool },
    /// All are dates, but for this reason not of one form.
    Mixed(&'static str),
    /// Most are dates; the first that is none.
    Most(usize),
    /// They are no dates.
    None,
}

impl DateForm {
    /// Days since 1970-01-01, the time of day a fraction; none if a cell is not of this form. `2024-03-05` is of any.
    pub fn parse(&self, cell: &str) -> Option<f64> {
        let parts = Parts::of(cell)?;
        match parts.separator {
            '-' if parts.year_first => parts.value(DateOrder::Year),
            separator if separator == self.separator => parts.value(self.order),
            _ => None,
        }
    }

    /// A day as `2024-03-05`, with hours and minutes or seconds unless it begins. [`DateForm::parse`] gives it back, to
    /// the second.
    pub fn format(&self, days: f64) -> String {
        let seconds = (days * 86_400.).round();
        // Years of four digits.
        if !(-30_616_000_000. ..253_402_300_800.).contains(&seconds) {
            return format!("{days} days after 1970-01-01");
        }
        let seconds = seconds as i64;
        let (year, month, day) = date_of(seconds.div_euclid(86_400));
        let of_day = seconds.rem_euclid(86_400);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        match (of_day, second) {
            (0, _) => format!("{year:04}-{month:02}-{day:02}"),
            (_, 0) => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"),
            _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
        }
    }

    /// How the cells of a column are written.
    pub(super) fn of(cells: &[&str]) -> Dates {
        let parts: Vec<Option<Parts>> = cells.iter().map(|cell| Parts::of(cell)).collect();
        let dates: Vec<&Parts> = parts.iter().flatten().collect();
        let complete = dates.len() == cells.len();
        let Some(first) = dates.first() else { return Dates::None };
        if !complete && (5 * dates.len() < 4 * cells.len() || cells.len() < 5) {
            return Dates::None;
        }
        let valid =
            |p: &Parts| [DateOrder::Year, DateOrder::Month, DateOrder::Day].iter().any(|o| p.value(*o).is_some());
        let short = |p: &Parts| p.short && p.parts[..2].iter().all(|n| (1..=31).contains(n)) && p.separator != '-';
        if dates.iter().any(|p| p.short) {
            let all = complete && dates.iter().all(|p| short(p) || valid(p));
            return if all { Dates::Mixed("years have two digits; write four of them") } else { Dates::None };
        }
        let alike = dates.iter().all(|p| (p.separator, p.year_first) == (first.separator, first.year_first));
        let fits = |order: DateOrder| dates.iter().all(|p| p.value(order).is_some());
        let (separator, day_first) = (first.separator, first.separator == '.');
        let (order, ambiguous) = match (fits(DateOrder::Year), fits(DateOrder::Month), fits(DateOrder::Day)) {
            _ if !alike => {
                let all = complete && dates.iter().all(|p| valid(p));
                return if all { Dates::Mixed("dates are written in different ways") } else { Dates::None };
            }
            (true, ..) => (DateOrder::Year, false),
            // Where points are written, days come first.
            (_, true, true) if day_first => (DateOrder::Day, false),
            // The same day and month are the same date either way.
            (_, true, true) => (DateOrder::Month, dates.iter().any(|p| p.parts[0] != p.parts[1])),
            (_, true, false) => (DateOrder::Month, false),
            (_, false, true) => (DateOrder::Day, false),
            _ if complete && dates.iter().all(|p| valid(p)) => {
                return Dates::Mixed("dates begin with the month in some rows, and with the day in others");
            }
            _ => match dates.iter().filter(|p| valid(p)).count() {
                valid_ones if 5 * valid_ones >= 4 * cells.len() && cells.len() >= 5 => {
                    let wrong = parts.iter().position(|p| !p.as_ref().is_some_and(valid));
                    return wrong.map_or(Dates::None, Dates::Most);
                }
                _ => return Dates::None,
            },
        };
        match parts.iter().position(Option::is_none) {
            Some(at) => Dates::Most(at),
            None => Dates::All { form: DateForm { order, separator }, ambiguous },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_its_own() {
        let (mut year, mut month, mut day) = (1000, 1, 1);
        for days in days_of(1000, 1, 1)..=days_of(9999, 12, 31) {
            assert_eq!((days_of(year, month, day), date_of(days)), (days, (year, month, day)));
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        assert_eq!((days_of(1970, 1, 1), days_of(2000, 2, 29), days_of(1969, 12, 31)), (0, 11_016, -1));
    }
}
