//! What a manifest holds, counted before any of it is kept: a row has many times the bytes of its shortest text, and so have
//! the settings of models and tasks that this program does not know, which are kept whatever they are.

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

#[derive(Deserialize)]
pub(super) struct Outline {
    pub format: u64,
    #[serde(default)]
    pub rows: Rows,
}

/// How many rows there are, and how many values of one's own in all of them.
#[derive(Default)]
pub(super) struct Rows {
    pub count: usize,
    pub own_values: usize,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    model: Model,
    #[serde(default)]
    own: Values,
}

/// A name, or an object whose one key is a kind of model.
#[derive(Default)]
struct Model(usize);

/// How many values there are in a value, itself included.
#[derive(Default)]
struct Values(usize);

/// Deserializes by its methods alone.
struct By<T>(PhantomData<T>);

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rows, D::Error> {
        from.deserialize_seq(By::<Rows>(PhantomData))
    }
}

impl<'de> Visitor<'de> for By<Rows> {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rows, A::Error> {
        let mut rows = Rows::default();
        while let Some(Row { model, own }) = seq.next_element()? {
            rows.count += 1;
            rows.own_values += model.0 + own.0;
        }
        Ok(rows)
    }
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Model, D::Error> {
        from.deserialize_any(By::<Model>(PhantomData))
    }
}

impl<'de> Visitor<'de> for By<Model> {
    type Value = Model;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a model")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Model, E> {
        Ok(Model(0))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Model, A::Error> {
        let mut model = Model(0);
        while let Some(kind) = map.next_key::<String>()? {
            if kind == "own" {
                model.0 += map.next_value::<Values>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(model)
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Values, D::Error> {
        from.deserialize_any(By::<Values>(PhantomData))
    }
}

impl<'de> Visitor<'de> for By<Values> {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Values, E> {
        Ok(Values(1))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Values, E> {
        Ok(Values(1))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Values, E> {
        Ok(Values(1))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Values, E> {
        Ok(Values(1))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Values, E> {
        Ok(Values(1))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Values, E> {
        Ok(Values(1))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Values, A::Error> {
        let mut all = Values(1);
        while let Some(value) = seq.next_element::<Values>()? {
            all.0 += value.0;
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
        let mut all = Values(1);
        while let Some((_, value)) = map.next_entry::<IgnoredAny, Values>()? {
            all.0 += value.0;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(rows: &str) -> (usize, usize) {
        let Outline { format, rows } =
            serde_json::from_str(&format!(r#"{{"rows": {rows}, "format": 4}}"#)).unwrap();
        assert_eq!(format, 4);
        (rows.count, rows.own_values)
    }

    #[test]
    fn only_what_is_ones_own_is_counted() {
        assert_eq!(counted("[]"), (0, 0));
        assert_eq!(
            counted(r#"[{"model": "nac"}, {"model": {"lite": {"width": [1, 2, 3]}}, "course": [1, 2]}]"#),
            (2, 0)
        );
        assert_eq!(counted(r#"[{"model": {"own": {"spec": "x", "params": [["a", [1]]]}}}]"#), (1, 7));
        assert_eq!(counted(r#"[{"own": null}, {"own": {"a": [0.5, -1, true, "x", {}]}}]"#), (2, 1 + 7));
    }
}
