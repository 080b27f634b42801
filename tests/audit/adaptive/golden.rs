//! Reads golden values, which both adaptive mechanisms have in one form.

use nalgebra::DMatrix;
use serde_json::Value;

use super::Column;

pub fn columns(value: &Value) -> Vec<Column> {
    let one = |value: &Value| match value[0].as_str().unwrap() {
        "number" => Column::Number(value[1].as_f64().unwrap(), value[2].as_f64().unwrap()),
        _ => Column::Category(usize::try_from(value[1].as_u64().unwrap()).unwrap()),
    };
    value.as_array().unwrap().iter().map(one).collect()
}

pub fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn integers(value: &Value) -> Vec<i128> {
    value.as_array().unwrap().iter().map(|value| text(value).parse().unwrap()).collect()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

#[track_caller]
pub fn close(what: &str, found: &[f64], expected: &Value, tolerance: f64) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= tolerance * largest, "{what}: {found} for {expected}");
    }
}

pub fn by_rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().iter().copied().collect()
}

/// Returns the middle and half width of each term.
pub fn own_units(columns: &[Column]) -> Vec<(f64, f64)> {
    let of = |column: &Column| match column {
        Column::Number(lower, upper) => vec![(lower / 2.0 + upper / 2.0, upper / 2.0 - lower / 2.0)],
        Column::Category(levels) => vec![(0.0, 1.0); levels - 1],
    };
    columns.iter().flat_map(of).collect()
}
