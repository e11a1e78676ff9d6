//! A rule as a function that needs nothing else.

use super::reading::Reading;
use super::rule::Rule;

/// A coefficient times a variable, as one would write it.
fn times(coefficient: i64, x: &str) -> String {
    match coefficient {
        0 => "0".into(),
        1 => x.into(),
        -1 => format!("-{x}"),
        c => format!("{c} * {x}"),
    }
}

impl Rule {
    /// As a Rust function.
    pub fn to_rust(&self) -> String {
        rust(self)
    }

    /// As a Python function.
    pub fn to_python(&self) -> String {
        python(self)
    }
}

fn rust(rule: &Rule) -> String {
    let c = &rule.coefficients;
    match rule.reading {
        Reading::Sums => format!(
            "/// {rule}\n\
             ///\n\
             /// Read off a trained network by rounding its own coefficients.\n\
             ///\n\
             /// The numbers of a sum and the operators between them: `12 + 3 - 5` is `evaluate(&[12, 3, 5], &['+', '-'])`.\n\
             pub fn evaluate(numbers: &[i64], operators: &[char]) -> i64 {{\n    \
                 assert_eq!(numbers.len(), operators.len() + 1, \"an operator between every two numbers\");\n    \
                 let first = {};\n    \
                 let rest = operators.iter().zip(&numbers[1..]).map(|(operator, &x)| match operator {{\n        \
                     '+' => {},\n        \
                     '-' => {},\n        \
                     other => panic!(\"{{other:?}} is no operator\"),\n    \
                 }});\n    \
                 first + rest.sum::<i64>()\n\
             }}\n",
            times(c[0], "numbers[0]"),
            times(c[1], "x"),
            times(c[2], "x")
        ),
        Reading::Lists => format!(
            "/// {rule}\n\
             ///\n\
             /// Read off a trained network by rounding its own coefficients.\n\
             ///\n\
             /// Items, numbered from 1, with their values.\n\
             pub fn evaluate(list: &[(usize, i64)]) -> i64 {{\n    \
                 const COEFFICIENTS: [i64; {}] = {c:?};\n    \
                 list.iter().map(|&(item, value)| COEFFICIENTS[item - 1] * value).sum()\n\
             }}\n",
            c.len()
        ),
    }
}

fn python(rule: &Rule) -> String {
    let c = &rule.coefficients;
    match rule.reading {
        Reading::Sums => format!(
            "def evaluate(numbers, operators):\n    \
                 \"\"\"{rule}\n\n    \
                 Read off a trained network by rounding its own coefficients.\n\n    \
                 The numbers of a sum and the operators between them: 12 + 3 - 5 is evaluate([12, 3, 5], \"+-\").\n    \
                 \"\"\"\n    \
                 if len(numbers) != len(operators) + 1:\n        \
                     raise ValueError(\"an operator between every two numbers\")\n    \
                 coefficient = {{\"+\": {}, \"-\": {}}}\n    \
                 return {} + sum(coefficient[o] * x for o, x in zip(operators, numbers[1:]))\n",
            c[1],
            c[2],
            times(c[0], "numbers[0]")
        ),
        Reading::Lists => format!(
            "def evaluate(items):\n    \
                 \"\"\"{rule}\n\n    \
                 Read off a trained network by rounding its own coefficients.\n\n    \
                 Items, numbered from 1, with their values: [(item, value), ...].\n    \
                 \"\"\"\n    \
                 coefficients = {c:?}\n    \
                 return sum(coefficients[item - 1] * value for item, value in items)\n"
        ),
    }
}
