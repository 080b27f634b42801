//! Neighbouring tables that are as far apart as possible (theory/audit 2).
//!
//! Each pair detects bugs that the others miss. They have three terms, the radius 2^24 and a claim of μ = 1, at which few runs
//! suffice to detect wrong noise.

use serde_json::{Value, json};

use crate::mechanisms::analyze_gauss;
use crate::mechanisms::reuse_cov;
use crate::model::Shape;

/// The claim of every pair.
pub const MU: f64 = 1.0;

/// Two neighbouring tables and their plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The name, from `P1`. There are several pairs `P7`, one for each record that is not a number.
    pub name: &'static str,
    /// The bug that this pair detects, in one sentence.
    pub catches: &'static str,
    /// The plan, a `discreet.plan/1`.
    pub plan: Value,
    /// The two tables as CSV.
    pub tables: [String; 2],
    /// μ that the plan claims.
    pub mu: f64,
}

/// Returns all pairs, under noise of one shape.
pub fn pairs(shape: Shape) -> Vec<Pair> {
    let empty_and = |row: &str| ["x,y\n".to_owned(), format!("x,y\n{row}\n")];
    let pair = |name, catches, plan, tables| Pair { name, catches, plan, tables, mu: MU };
    let plain = |name, catches, row| pair(name, catches, with_constant(shape), empty_and(row));
    let replaced = |name, catches, missing: &str, rows: [&str; 2]| {
        let mut plan = with_constant(shape);
        plan["adjacency"] = json!("replace-one");
        plan["rows"] = json!(1);
        plan["missing"] = json!(missing);
        pair(name, catches, plan, rows.map(|row| format!("x,y\n{row}\n")))
    };
    let persons = |name, catches, max_rows: u32, rows: [&[&str]; 2]| {
        let mut plan = with_constant(shape);
        plan["person"] = json!("id");
        plan["max_rows_per_person"] = json!(max_rows);
        pair(name, catches, plan, rows.map(|rows| format!("id,x,y\n{}\n", rows.join("\n"))))
    };
    let mut all = vec![
        plain("P1", "One record along one axis: too little noise on the diagonal.", "0,1"),
        plain("P2", "One record between two axes: too little noise off the diagonal.", "0.8165,1"),
        pair(
            "P3",
            "One record replaced by an orthogonal one: a sensitivity that is √2 too small.",
            without_constant(shape),
            ["x,w,y\n1,0,0\n".to_owned(), "x,w,y\n0,1,0\n".to_owned()],
        ),
        plain("P4", "One record a thousand times beyond its bounds: a missing clip.", "1000,0"),
        plain("P5", "One record at all its bounds: a clip of each column alone.", "1,1"),
        plain("P6", "One record in no special direction: what happens to suit the axes.", "0.3,-0.7"),
    ];
    for row in HOSTILE {
        for missing in ["skip", "midpoint"] {
            let mut pair = plain("P7", "One record that is no number: what slips past a comparison.", row);
            pair.plan["missing"] = json!(missing);
            pair.plan["csv"] = json!({"na": []});
            all.push(pair);
        }
    }
    all.extend([
        persons(
            "P8",
            "One person with five rows where two may count: a limit that is not kept.",
            2,
            [&[], &["a,0,1", "a,0,1", "a,0,1", "a,0,1", "a,0,1"]],
        ),
        // The cosine of the parts without the constant is −c²/W² = −1/4.
        replaced(
            "P9",
            "One record replaced at the angle that the constant makes the worst.",
            "midpoint",
            ["0,1", "0.75,-0.2372"],
        ),
        persons(
            "P10",
            "One row without an identifier before another: rows of nobody counted as one person's.",
            1,
            [&[",0,1"], &[",1,0", ",0,1"]],
        ),
        replaced(
            "P11",
            "One record replaced by one that is skipped: a count of rows released as it is.",
            "skip",
            ["0,1", ",1"],
        ),
    ]);
    all
}

/// Returns pairs for one set of features and many outcomes, two of each without a constant. With these norms a record is clipped by
/// the factor √½ as a whole. Then both sides have their largest norm.
pub fn many_outcomes() -> Vec<Pair> {
    let header = "x,w,y,z\n";
    let columns =
        [column("x", "feature"), column("w", "feature"), column("y", "outcome"), column("z", "outcome")];
    let both = |mut params: Value, adjacency: &str, rows: [&str; 2]| {
        params["intercept_weight"] = json!(0);
        let mut plan = plan(&columns, params);
        plan["mechanism"]["name"] = json!(reuse_cov::GAUSS.name);
        plan["adjacency"] = json!(adjacency);
        if adjacency == "replace-one" {
            plan["rows"] = json!(1);
            plan["intercept"] = json!(false);
        } else {
            plan["mechanism"]["params"]["intercept_weight"] = json!(0.5);
        }
        (plan, rows.map(|row| if row.is_empty() { header.to_owned() } else { format!("{header}{row}\n") }))
    };
    let norms = |kappa: f64, moments: &str| {
        json!({"feature_norm": 0.5, "outcome_norm": std::f64::consts::FRAC_1_SQRT_2, "kappa": kappa,
            "outcome_moments": moments})
    };
    let pair = |name, catches, (plan, tables)| Pair { name, catches, plan, tables, mu: MU };
    let mut labels = both(json!({"outcome_norm": 0.5}), "replace-one", ["1,1,1,1", "1,1,-1,-1"]);
    labels.0["mechanism"]["name"] = json!(reuse_cov::PROJECTED_ON_FEATURES.name);
    labels.0["protect"] = json!("labels");
    let mut features = both(
        json!({"feature_norm": 0.5, "outcome_norm": std::f64::consts::FRAC_1_SQRT_2, "kappa": 1}),
        "replace-one",
        ["1,0,1,1", "-0.5,0.8660254037844386,1,1"],
    );
    features.0["mechanism"]["name"] = json!(reuse_cov::PROJECTED_ON_OUTCOMES.name);
    features.0["protect"] = json!("features");
    vec![
        pair(
            "P12",
            "One record at all its bounds: cross moments that the sensitivity leaves out.",
            both(json!({"kappa": 1, "outcome_moments": "none"}), "add-remove", ["", "1,1,1,1"]),
        ),
        // The worst cosine between the features is κ/2.
        pair(
            "P13",
            "One record replaced at the worst angle: a sensitivity of the two parts by themselves.",
            both(norms(1.0, "none"), "replace-one", ["1,0,1,1", "0.5,0.8660254037844386,-1,-1"]),
        ),
        pair(
            "P14",
            "One record replaced by one with opposite outcomes, which weigh more: the other branch of the sensitivity.",
            both(norms(4.0, "none"), "replace-one", ["1,0,1,1", "1,0,-1,-1"]),
        ),
        pair(
            "P15",
            "One record with outcomes' squares beside it: a sensitivity without them.",
            both(norms(1.0, "diagonal"), "add-remove", ["", "1,0,1,0.2"]),
        ),
        pair(
            "P16",
            "Opposite outcomes of public features, beyond their norm: outcomes that keep their length.",
            labels,
        ),
        // The outcomes are the same, so the worst cosine is −κ/2.
        pair(
            "P17",
            "Features replaced at the worst angle beside public outcomes: cross moments that the sensitivity leaves out.",
            features,
        ),
    ]
}

/// Records with fields that are not finite, or almost not. The first would exceed the norm without its first field, although none of
/// its codes exceeds the largest that is summed.
const HOSTILE: [&str; 7] =
    ["nan,0.88", "inf,-inf", "1e308,-1e308", "1e999,0", ",", "9223372036854775808,1", "-nan,0x1p3"];

/// Returns a number column of the audit's tables.
pub fn column(name: &str, role: &str) -> Value {
    json!({"name": name, "role": role, "type": "number", "lower": -1, "upper": 1})
}

fn plan(columns: &[Value], params: Value) -> Value {
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "add-remove",
        "columns": columns,
        "mechanism": {"name": analyze_gauss::INFO.name, "params": params},
        "budget": {"mu": MU},
    })
}

/// Returns a plan with a constant, one feature and one outcome. With `row_norm` 1/2 a record along one axis has the largest norm.
pub fn with_constant(shape: Shape) -> Value {
    plan(&[column("x", "feature"), column("y", "outcome")], json!({"shape": shape, "row_norm": 0.5}))
}

/// Returns a plan with two features and one outcome, without a constant.
fn without_constant(shape: Shape) -> Value {
    let columns = [column("x", "feature"), column("w", "feature"), column("y", "outcome")];
    let mut plan = plan(&columns, json!({"shape": shape, "row_norm": 0.5, "intercept_weight": 0}));
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(1);
    plan["intercept"] = json!(false);
    plan
}
