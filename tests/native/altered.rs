//! Releases that were altered by hand.

use discreet::engine::contradiction;
use discreet::privacy::convert::gdp_epsilon;
use discreet::privacy::measure::{Delta, Mu};
use discreet::release::Release;
use serde_json::{Value, json};

use crate::cli::Bench;
use crate::support::small_diabetes_plan;

fn released(mechanism: &str) -> (Bench, Value) {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 7.3, "delta": 1e-5}));
    plan["mechanism"]["name"] = json!(mechanism);
    plan["stated_rows"] = json!(442);
    bench.plan(&plan);
    bench.open_ledger("7.3");
    let release = bench.ok("release --plan plan.json --ledger ledger.json --confirm table.csv");
    (bench, serde_json::from_str(&release).unwrap())
}

#[test]
fn an_altered_release_is_refused() {
    for mechanism in ["analyze-gauss", "adaptive-gauss"] {
        let (bench, release) = released(mechanism);
        let of = |value: &Value| contradiction(&serde_json::from_value::<Release>(value.clone()).unwrap());
        assert_eq!(of(&release), None, "{mechanism}: what was released stands");
        let at = |pointer: &str| {
            release.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}"))
        };
        let changed = [
            ("/coefficients/1/estimate", -at("/coefficients/1/estimate")),
            ("/coefficients/1/std_error", at("/coefficients/1/std_error") / 3.0),
            ("/coefficients/1/lower", at("/coefficients/1/upper") + 1.0),
            ("/coefficients/1/upper", at("/coefficients/1/upper") + at("/coefficients/1/std_error")),
            ("/coefficients/1/noise_share", 7.0),
            ("/diagnostics/rows", 10.0 * at("/diagnostics/rows")),
            ("/privacy/epsilon", at("/privacy/epsilon") / 2.0),
            ("/privacy/delta", at("/privacy/delta") / 1e6),
            ("/privacy/mu", at("/privacy/mu") / 2.0),
            ("/privacy/rho", at("/privacy/rho") / 2.0),
        ];
        for (pointer, value) in changed {
            let mut altered = release.clone();
            *altered.pointer_mut(pointer).unwrap() = json!(value);
            assert!(of(&altered).is_some(), "{mechanism}: {pointer} was changed and nothing said");
            bench.write("altered.json", altered.to_string());
            for command in [
                "report --release altered.json",
                "refit --release altered.json --outcome target --features bmi",
            ] {
                let said = bench.fails(command, 2);
                assert!(
                    said.contains("contradicts itself") && said.contains("use an unaltered copy"),
                    "{said}"
                );
            }
        }
        // A guarantee whose numbers go together, and which the plan did not ask for.
        let mut stronger = release.clone();
        let mu = at("/privacy/mu") / 2.0;
        let epsilon = gdp_epsilon(Mu::try_new(mu).unwrap(), Delta::try_new(at("/privacy/delta")).unwrap());
        for (name, value) in [("mu", mu), ("rho", mu * mu / 2.0), ("epsilon", epsilon.unwrap().get())] {
            stronger["privacy"][name] = json!(value);
        }
        assert!(of(&stronger).is_some_and(|said| said.contains("its plan asked for")), "{mechanism}");
        let mut others = release.clone();
        others["privacy"]["adjacency"] = json!("replace-one");
        assert!(of(&others).is_some(), "{mechanism}: another adjacency");
        let mut without_noise = release.clone();
        without_noise["moments"]["noise"] = Value::Null;
        assert!(of(&without_noise).is_some(), "{mechanism}: no noise, and a guarantee");
    }
}
