//! The golden numbers of `tests/vectors/*.csv`: who answers a row, and whether the answer passes.
//!
//! An answer x passes when `expected - tol_below <= x <= expected + tol_above`; an expectation that is no number must be
//! equal as text (theory/audit 5).

//!
//! The native tests and the tests inside the browser include this file and the CSV files with it, so that the same rows meet
//! the same judge in both. Fields hold no commas and no quotes.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use dashu_int::UBig;
use discreet::audit::estimate::{Count, Level, cp_lower, cp_upper, eps_lower, mu_lower, one_run_p};
use discreet::inference::moments::MomentTerm;
use discreet::inference::{CellNoise, NoisyMoments, Options, fit};
use discreet::math::round::{MARGIN, raise};
use discreet::math::special::{ln_phi_cdf, mills, one_minus_x_mills};
use discreet::noise::law;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{
    NoiseScale, gaussian_charge, noise_scale_for, rho_charge_units, total_variation_bound,
};
use discreet::privacy::compose::{Pair, delta_total, mu_b};
use discreet::privacy::convert::{
    classical_gaussian_true_delta, gaussian_sigma, gdp_compose, gdp_delta, gdp_epsilon, gdp_ln_delta, gdp_mu,
    mu_from_pure, rho_from_pure, zcdp_delta, zcdp_epsilon, zcdp_ln_delta, zcdp_rho,
};
use discreet::privacy::fixed_plan::{FixedPlan, mix_delta, optimal_pure_eps, optimal_pure_het_eps};
use discreet::privacy::ledger::admit;
use discreet::privacy::measure::{Delta, Epsilon, Mu, Rho};
use discreet::privacy::profile::{
    WishartNoise, additive_wishart_degrees, additive_wishart_delta, additive_wishart_epsilon,
    additive_wishart_orthogonal_delta, aw_w2_over_r2, paper, sketch_delta, sketch_epsilon, sketch_ridge,
    sketch_rows,
};
use discreet::privacy::pure_bounds::{
    advanced_drv_eps, advanced_kov_eps, basic_eps, whitehouse_filter_eps, zcdp_pure_eps,
};
use discreet::privacy::sensitivity::sensitivity_squared;
use discreet::privacy::subsampling::{AddRemoveDp, Direction, FixedSize, Poisson};
use discreet::privacy::units::Units;

/// Every CSV file of the folder; a native test compares the list with the folder.
pub const FILES: [(&str, &str); 30] = [
    ("auditing.csv", include_str!("auditing.csv")),
    ("bernoulli_exp.csv", include_str!("bernoulli_exp.csv")),
    ("calibration.csv", include_str!("calibration.csv")),
    ("classical_gaussian_true_delta.csv", include_str!("classical_gaussian_true_delta.csv")),
    ("composition_pure.csv", include_str!("composition_pure.csv")),
    ("discrete_gaussian.csv", include_str!("discrete_gaussian.csv")),
    ("discrete_gaussian_delta_1d.csv", include_str!("discrete_gaussian_delta_1d.csv")),
    ("discrete_laplace.csv", include_str!("discrete_laplace.csv")),
    ("gaussian_sigma.csv", include_str!("gaussian_sigma.csv")),
    ("gdp_compose.csv", include_str!("gdp_compose.csv")),
    ("gdp_delta.csv", include_str!("gdp_delta.csv")),
    ("gdp_eps.csv", include_str!("gdp_eps.csv")),
    ("gdp_ln_delta.csv", include_str!("gdp_ln_delta.csv")),
    ("gdp_mu.csv", include_str!("gdp_mu.csv")),
    ("jl_wishart.csv", include_str!("jl_wishart.csv")),
    ("ledger_scenarios.csv", include_str!("ledger_scenarios.csv")),
    ("mix_delta.csv", include_str!("mix_delta.csv")),
    ("pld_google.csv", include_str!("pld_google.csv")),
    ("primo.csv", include_str!("primo.csv")),
    ("pure_conversions.csv", include_str!("pure_conversions.csv")),
    ("sensitivity.csv", include_str!("sensitivity.csv")),
    ("sheffet.csv", include_str!("sheffet.csv")),
    ("special_functions.csv", include_str!("special_functions.csv")),
    ("standard_errors.csv", include_str!("standard_errors.csv")),
    ("subsampling.csv", include_str!("subsampling.csv")),
    ("tv_discrete_rounded.csv", include_str!("tv_discrete_rounded.csv")),
    ("two_wallet.csv", include_str!("two_wallet.csv")),
    ("zcdp_delta.csv", include_str!("zcdp_delta.csv")),
    ("zcdp_eps.csv", include_str!("zcdp_eps.csv")),
    ("zcdp_rho.csv", include_str!("zcdp_rho.csv")),
];

/// One golden number.
pub struct Row {
    pub name: String,
    pub inputs: BTreeMap<String, String>,
    pub expected: String,
    pub below: String,
    pub above: String,
}

/// What the product says.
pub enum Answer {
    Number(f64),
    /// ln of an answer that may be too small for a number.
    Ln(f64),
    Text(String),
}

use Answer::{Ln, Number, Text};

impl Row {
    fn text(&self, key: &str) -> &str {
        self.inputs.get(key).unwrap_or_else(|| panic!("{} has no input {key}", self.name))
    }

    fn read<T: std::str::FromStr>(&self, key: &str) -> T {
        self.text(key).parse().unwrap_or_else(|_| panic!("{}: {key} cannot be read", self.name))
    }

    fn list<T: std::str::FromStr>(&self, key: &str) -> Vec<T> {
        let items = self.text(key).split('|').filter(|item| !item.is_empty());
        items.map(|item| item.parse().unwrap_or_else(|_| panic!("{}: {item}", self.name))).collect()
    }

    fn epsilon(&self, key: &str) -> Epsilon {
        Epsilon::try_new(self.read(key)).unwrap()
    }

    fn delta(&self, key: &str) -> Delta {
        Delta::try_new(self.read(key)).unwrap()
    }

    fn mu(&self, key: &str) -> Mu {
        Mu::try_new(self.read(key)).unwrap()
    }

    fn rho(&self) -> Rho {
        Rho::try_new(self.read("rho")).unwrap()
    }

    fn count(&self, key: &str) -> Count {
        Count::try_new(self.read(key), self.read("n")).unwrap()
    }

    fn level(&self) -> Level {
        Level::try_new(self.read("alpha")).unwrap()
    }

    fn epsilons(&self, key: &str) -> Vec<Epsilon> {
        self.list(key).into_iter().map(|epsilon| Epsilon::try_new(epsilon).unwrap()).collect()
    }

    fn mus(&self, key: &str) -> Vec<Mu> {
        self.list(key).into_iter().map(|mu| Mu::try_new(mu).unwrap()).collect()
    }

    fn fixed_plan(&self) -> FixedPlan {
        let pure: Vec<(Epsilon, u32)> = self.epsilons("pure_eps").into_iter().map(|e| (e, 1)).collect();
        let approximate: Vec<(Epsilon, Delta)> = self
            .list::<String>("approx")
            .iter()
            .map(|pair| {
                let (epsilon, delta) = pair.split_once(':').unwrap();
                (
                    Epsilon::try_new(epsilon.parse().unwrap()).unwrap(),
                    Delta::try_new(delta.parse().unwrap()).unwrap(),
                )
            })
            .collect();
        FixedPlan::try_new(&self.mus("gaussian_mus"), &pure, &approximate).unwrap()
    }

    fn poisson(&self) -> Poisson {
        Poisson::try_new(self.read("q")).unwrap()
    }

    fn amplified(&self) -> AddRemoveDp {
        self.poisson().amplify(AddRemoveDp { epsilon: self.epsilon("eps"), delta: self.delta("delta") })
    }

    fn profile_adjacency(&self) -> Adjacency {
        match self.inputs.get("adjacency").map(String::as_str) {
            Some("replace-one") => Adjacency::ReplaceOne,
            Some("add-remove") | None => Adjacency::AddRemove,
            Some(other) => panic!("{}: {other}", self.name),
        }
    }

    fn wishart(&self) -> WishartNoise {
        WishartNoise::try_new(self.read("k"), self.read("p")).unwrap()
    }

    fn variance(&self) -> law::Gaussian {
        law::Gaussian::new(self.read::<f64>("sigma2_num") / self.read::<f64>("sigma2_den"))
    }

    /// The function: as the row says, else as the file says, else as the row's name begins.
    pub fn function(&self, file: &str) -> String {
        if let Some(function) = self.inputs.get("fn") {
            let discrete_laplace = function == "pmf" && self.inputs.contains_key("scale");
            return if discrete_laplace { "laplace_pmf".to_owned() } else { function.clone() };
        }
        if self.inputs.contains_key("out") {
            return "standard_errors".to_owned();
        }
        let stem = file.trim_end_matches(".csv");
        if PREFIXES.iter().any(|(_, function)| *function == stem) {
            return stem.to_owned();
        }
        let prefix = self.name.split('_').next().unwrap_or_default();
        let found = PREFIXES.iter().find(|(known, _)| *known == prefix);
        found.map_or_else(|| stem.to_owned(), |(_, function)| (*function).to_owned())
    }
}

/// Files with one function each, and how the names of their rows begin.
const PREFIXES: [(&str, &str); 14] = [
    ("sigma", "gaussian_sigma"),
    ("delta", "gdp_delta"),
    ("lndelta", "gdp_ln_delta"),
    ("eps", "gdp_eps"),
    ("mu", "gdp_mu"),
    ("compose", "gdp_compose"),
    ("classical", "classical_gaussian_true_delta"),
    ("zd", "zcdp_delta"),
    ("ze", "zcdp_eps"),
    ("zr", "zcdp_rho"),
    ("bexp", "bernoulli_exp"),
    ("dlpmf", "discrete_laplace"),
    ("dgdelta", "discrete_gaussian_delta_1d"),
    ("ledger", "ledger_scenarios"),
];

/// The product's answer, or `None` for a function that does not exist yet.
pub fn answer(function: &str, row: &Row) -> Option<Answer> {
    let result = match function {
        "gaussian_sigma" => {
            gaussian_sigma(row.epsilon("eps"), row.delta("delta"), row.read("sensitivity")).ok()
        }
        "gdp_delta" => {
            let (epsilon, mu) = (row.epsilon("eps"), row.mu("mu"));
            return Some(small(gdp_delta(epsilon, mu).get(), gdp_ln_delta(epsilon.get(), mu.get())));
        }
        "gdp_ln_delta" => Some(gdp_ln_delta(row.read("eps"), row.read("mu"))),
        "gdp_eps" => gdp_epsilon(row.mu("mu"), row.delta("delta")).ok().map(Epsilon::get),
        "gdp_mu" => gdp_mu(row.epsilon("eps"), row.delta("delta")).ok().map(Mu::get),
        "gdp_compose" => gdp_compose(&row.mus("mus"))
            .and_then(|mu| gdp_epsilon(mu, row.delta("delta")))
            .ok()
            .map(Epsilon::get),
        "classical_gaussian_true_delta" => {
            classical_gaussian_true_delta(row.epsilon("eps"), row.delta("delta")).ok()
        }
        "zcdp_delta" => {
            let (rho, epsilon) = (row.rho(), row.epsilon("eps"));
            return Some(small(zcdp_delta(rho, epsilon).get(), zcdp_ln_delta(rho.get(), epsilon.get())));
        }
        "zcdp_eps" => zcdp_epsilon(row.rho(), row.delta("delta")).ok().map(Epsilon::get),
        "zcdp_rho" => zcdp_rho(row.epsilon("eps"), row.delta("delta")).ok().map(Rho::get),
        "standard_errors" => standard_errors(&row.inputs),
        "rho_from_pure" => Some(rho_from_pure(row.epsilon("eps")).get()),
        "mu_from_pure" => mu_from_pure(row.epsilon("eps")).ok().map(Mu::get),
        "ln_phi_cdf" => Some(ln_phi_cdf(row.read("x"))),
        "mills" => Some(mills(row.read("x"))),
        "one_minus_x_mills" => Some(one_minus_x_mills(row.read("x"))),
        "pmf" => Some(row.variance().pmf(row.read("k"))),
        "tail_ge" => Some(row.variance().tail(row.read("k"))),
        "variance" => Some(row.variance().variance()),
        "laplace_pmf" | "discrete_laplace" => Some(law::laplace_pmf(row.read("scale"), row.read("k"))),
        "bernoulli_exp" => Some(law::bernoulli_exp(row.read("p"), row.read("q"))),
        "discrete_gaussian_delta_1d" => Some(row.variance().delta(row.read("sensitivity"), row.read("eps"))),
        "tv_discrete_vs_rounded" => Some(law::Gaussian::new(row.read("sigma2")).distance_from_rounded()),
        "tv_bound" => Some(total_variation_bound(row.read("sigma2"))),
        "mu_B" => {
            let delta = row.read("delta");
            let mu = mu_b(row.epsilon("eps"), delta, row.epsilon("eps_O"), row.delta("delta_O"));
            Some(mu.get()).filter(|_| row.expected != "INFEASIBLE" || !mu.is_zero())
        }
        "delta_total" => {
            let pair =
                Pair { mu: row.mu("mu_B"), epsilon: row.epsilon("eps_O"), delta: row.delta("delta_O") };
            Some(delta_total(row.epsilon("eps"), &pair).get())
        }
        "mix_delta" => Some(mix_delta(&row.fixed_plan(), row.epsilon("eps")).get()),
        "optimal_pure_eps" => {
            optimal_pure_eps(row.read("k"), row.epsilon("eps"), row.delta("delta")).ok().map(Epsilon::get)
        }
        "optimal_pure_het_eps" => {
            optimal_pure_het_eps(&row.epsilons("eps_list"), row.delta("delta")).ok().map(Epsilon::get)
        }
        "basic_eps" => basic_eps(row.read("k"), row.epsilon("eps")).ok().map(Epsilon::get),
        "advanced_drv_eps" | "advanced_kov_eps" | "zcdp_pure_eps" | "whitehouse_filter_eps" => {
            let bound = match function {
                "advanced_drv_eps" => advanced_drv_eps,
                "advanced_kov_eps" => advanced_kov_eps,
                "zcdp_pure_eps" => zcdp_pure_eps,
                _ => whitehouse_filter_eps,
            };
            bound(row.read("k"), row.epsilon("eps"), row.delta("delta")).ok().map(Epsilon::get)
        }
        "amplified_eps" => Some(row.amplified().epsilon.get()),
        "amplified_delta" => Some(row.amplified().delta.get()),
        "poisson_gaussian_delta" => {
            let direction = if row.text("direction") == "add" { Direction::Add } else { Direction::Remove };
            let mu = Mu::try_new(raise(1.0 / row.read::<f64>("sigma"), MARGIN)).unwrap();
            Some(row.poisson().gaussian_delta(direction, row.epsilon("eps"), mu).get())
        }
        "jl_delta" => {
            let (leverage, rows) = (row.read("leverage"), row.read("r"));
            sketch_delta(row.epsilon("eps"), leverage, rows, row.profile_adjacency()).ok().map(Delta::get)
        }
        "jl_epsilon" => {
            let (ridge, rows) = (row.read("ridge"), row.read("r"));
            sketch_epsilon(row.delta("delta"), ridge, rows, row.profile_adjacency()).ok().map(Epsilon::get)
        }
        "jl_w2_over_R2" => {
            sketch_ridge(row.epsilon("eps"), row.delta("delta"), row.read("r"), row.profile_adjacency()).ok()
        }
        "jl_rows" => {
            let (epsilon, delta) = (row.epsilon("eps"), row.delta("delta"));
            let most = sketch_rows(epsilon, delta, row.read("ridge"), row.profile_adjacency()).unwrap();
            return Some(Text(most.map_or(0, NonZeroU32::get).to_string()));
        }
        "additive_wishart_delta" => {
            let (epsilon, change) = (row.epsilon("eps"), row.read("b"));
            additive_wishart_delta(epsilon, change, row.wishart(), row.profile_adjacency())
                .ok()
                .map(Delta::get)
        }
        "aw_orthogonal_delta" => {
            additive_wishart_orthogonal_delta(row.epsilon("eps"), row.read("b"), row.wishart()).ok()
        }
        "paper_w2_over_R2" => paper::ridge(row.epsilon("eps"), row.delta("delta"), row.read("r")).ok(),
        "paper_adaptive_w2_over_R2" => {
            paper::adaptive_ridge(row.epsilon("eps"), row.delta("delta"), row.read("r")).ok()
        }
        "paper_rows" => {
            let most = paper::adaptive_rows(row.epsilon("eps"), row.delta("delta"), row.read("eigenvalue"));
            return Some(Text(most.unwrap().map_or(0, NonZeroU32::get).to_string()));
        }
        "paper_shift" => paper::adaptive_eigenvalue_rule(row.epsilon("eps"), row.delta("delta"))
            .ok()
            .map(|rule| rule.shift),
        "eigenvalue_shift" => {
            paper::eigenvalue_rule(row.epsilon("eps"), row.delta("delta")).ok().map(|rule| rule.shift)
        }
        "paper_dof" => {
            let degrees = paper::degrees(row.epsilon("eps"), row.delta("delta"), row.read("p"));
            return Some(Text(degrees.unwrap().to_string()));
        }
        "paper_debiasing" => paper::debiasing(row.read("k"), row.read("p"), row.delta("delta"))
            .ok()
            .map(|shifts| shifts.cautious),
        "paper_sigma" => paper::analyze_gauss_sigma(row.epsilon("eps"), row.delta("delta")).ok(),
        "upper_triangle_epsilon" => {
            let (sigma, delta) = (row.read("sigma"), row.delta("delta"));
            paper::upper_triangle_epsilon(sigma, delta, row.profile_adjacency()).ok().map(Epsilon::get)
        }
        "c_paper" => paper::primo::constant(row.epsilon("eps"), row.delta("delta")).ok(),
        "reuse_cov_epsilon" => {
            let scales = paper::primo::Scales {
                covariance: row.read("covariance"),
                association: row.read("association"),
            };
            scales.epsilon(row.delta("delta"), row.profile_adjacency()).ok().map(Epsilon::get)
        }
        "subsampled_cov_epsilon" => {
            let sampling = FixedSize::try_new(row.read("m"), row.read("n")).unwrap();
            let (sigma, delta) = (row.read("sigma"), row.delta("delta"));
            paper::primo::subsampled_covariance_epsilon(sigma, delta, sampling).ok().map(Epsilon::get)
        }
        "aw_epsilon" => {
            let (delta, change) = (row.delta("delta"), row.read("b"));
            additive_wishart_epsilon(delta, change, row.wishart(), row.profile_adjacency())
                .ok()
                .map(Epsilon::get)
        }
        "aw_w2_over_R2" => {
            aw_w2_over_r2(row.epsilon("eps"), row.delta("delta"), row.wishart(), row.profile_adjacency()).ok()
        }
        "aw_dof" => {
            let (epsilon, delta, change) = (row.epsilon("eps"), row.delta("delta"), row.read("b"));
            let noise =
                additive_wishart_degrees(epsilon, delta, row.read("p"), change, row.profile_adjacency());
            return Some(Text(
                noise.map_or_else(|_| "INFEASIBLE".to_owned(), |noise| noise.degrees().to_string()),
            ));
        }
        "pld_delta" | "pld_eps" => crate::web_pld::answer(function, &row.inputs),
        "cp_lower" => Some(cp_lower(row.count("k"), row.level())),
        "cp_upper" => Some(cp_upper(row.count("k"), row.level())),
        "eps_lower" => {
            Some(eps_lower(row.count("tp"), row.count("fp"), row.delta("delta"), row.level()).get())
        }
        "mu_lower" => Some(mu_lower(row.count("tp"), row.count("fp"), row.level()).get()),
        "one_run_p" => {
            let [canaries, guesses, right] = ["m", "r", "v"].map(|key| row.read(key));
            one_run_p(canaries, guesses, right, row.epsilon("eps"), row.delta("delta")).ok()
        }
        _ => return whole_number(function, row),
    };
    Some(result.map_or_else(|| Text("INFEASIBLE".to_owned()), Number))
}

/// A δ, by its logarithm where a number cannot hold it.
fn small(delta: f64, ln_delta: f64) -> Answer {
    if ln_delta < -690.0 { Ln(ln_delta) } else { Number(delta) }
}

fn whole_number(function: &str, row: &Row) -> Option<Answer> {
    let fourth_power = || {
        let adjacency = if row.text("m") == "2" { Adjacency::ReplaceOne } else { Adjacency::AddRemove };
        sensitivity_squared(0, row.read("R"), adjacency, 1, true)
    };
    let scale = || NoiseScale::try_new(row.read("S")).ok();
    let result = match function {
        "noise_scale_S" => {
            let (numerator, denominator): (UBig, UBig) = (row.read("mu_num"), row.read("mu_den"));
            let square = |number: UBig| &number * &number;
            let scale = noise_scale_for(&fourth_power(), &square(numerator), &square(denominator));
            scale.ok().map(|scale| scale.get().to_string())
        }
        "mu2_charge_units" => scale()
            .and_then(|scale| gaussian_charge(&fourth_power(), scale).ok())
            .map(|units| units.to_string()),
        "rho_charge_units" => scale()
            .and_then(|scale| rho_charge_units(&fourth_power(), scale).ok())
            .map(|units| units.to_string()),
        "gram_sens_sq" => {
            let adjacency = if row.text("adjacency") == "replace_one" {
                Adjacency::ReplaceOne
            } else {
                Adjacency::AddRemove
            };
            let k = row.inputs.get("k_max").map_or(1, |k| k.parse().unwrap());
            Some(
                sensitivity_squared(row.read("const"), row.read("norm_bound"), adjacency, k, true)
                    .to_string(),
            )
        }
        "outer_fro_sq" => Some(change(&row.list("q"), &[], 2)),
        "outer_vech_sq" => Some(change(&row.list("q"), &[], 1)),
        "replace_fro_sq" => Some(change(&row.list("q"), &row.list("q2"), 2)),
        "ledger_scenarios" => Some(scenario(row)),
        _ => return None,
    };
    Some(Text(result.unwrap_or_else(|| "INFEASIBLE".to_owned())))
}

/// Σ (change of each cell of the upper triangle)², those off the diagonal counted `off_diagonal` times: what the
/// sensitivity bounds.
fn change(q: &[i128], q2: &[i128], off_diagonal: u8) -> String {
    let mut sum = UBig::ZERO;
    for j in 0..q.len() {
        for k in j..q.len() {
            let before = q[j] * q[k];
            let after = if q2.is_empty() { 0 } else { q2[j] * q2[k] };
            let square = UBig::from((before - after).unsigned_abs()).pow(2);
            sum += square * UBig::from(if j == k { 1 } else { off_diagonal });
        }
    }
    sum.to_string()
}

fn scenario(row: &Row) -> String {
    let capacity =
        Units { gaussian: row.read("G_cap"), epsilon: row.read("E_cap"), delta: row.read("D_cap"), slack: 0 };
    let mut left = capacity;
    let mut answers = String::new();
    for asked in row.text("requests").split('|') {
        let answer = charge(asked).and_then(|charge| admit(&left, &charge, &capacity).ok());
        answers.push(if answer.is_some() { 'A' } else { 'R' });
        left = answer.unwrap_or(left);
    }
    format!("{answers};G_left={};E_left={};D_left={}", left.gaussian, left.epsilon, left.delta)
}

/// `G:units`, `P:epsilon` or `A:epsilon:delta`; no charge can hold a negative number.
fn charge(asked: &str) -> Option<Units> {
    let (kind, numbers) = asked.split_once(':')?;
    let numbers = numbers.split(':').map(|number| number.parse().ok()).collect::<Option<Vec<u128>>>()?;
    match (kind, numbers.as_slice()) {
        ("G", [gaussian]) => Some(Units { gaussian: *gaussian, ..Units::ZERO }),
        ("P", [epsilon]) => Some(Units { epsilon: *epsilon, ..Units::ZERO }),
        ("A", [epsilon, delta]) => Some(Units { epsilon: *epsilon, delta: *delta, ..Units::ZERO }),
        _ => panic!("{asked} is no request"),
    }
}

/// Answers one row of `standard_errors.csv`: `inputs` are its keys and values.
fn standard_errors(inputs: &BTreeMap<String, String>) -> Option<f64> {
    let row = |text: &str| text.split(' ').map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
    let a: Vec<Vec<f64>> = inputs["A"].split('|').map(row).collect();
    let b: Vec<f64> = inputs["b"].split('|').map(|cell| cell.parse().unwrap()).collect();
    let c: f64 = inputs["c"].parse().unwrap();
    let d = a.len();
    let mut upper = Vec::new();
    for (i, row) in a.iter().enumerate() {
        upper.extend(&row[i..]);
        upper.push(b[i]);
    }
    upper.push(c);
    let noise = CellNoise::Goe { s: inputs["s"].parse().unwrap() };
    // Terms whose own unit is R: no constant, centre 0.
    let terms = (0..=d).map(|i| MomentTerm { name: format!("z{i}"), centre: 0.0, scale: 1.0, reach: 0.5 });
    let moments = NoisyMoments::try_new(terms.collect(), &upper, noise).unwrap();
    let options = Options { rows: Some(inputs["n"].parse().unwrap()), ..Options::default() };
    let fit = fit(&moments, d, &(0..d).collect::<Vec<_>>(), false, options).unwrap();
    let out = inputs["out"].as_str();
    let index: usize = out[out.len() - 1..].parse().ok()?;
    let uncertainty = fit.uncertainty?;
    match &out[..out.len() - 1] {
        "beta" => Some(fit.estimate?[index]),
        "se" => Some(uncertainty.std_error[index]),
        "naive_se" => Some(uncertainty.std_error[index] * (1.0 - uncertainty.noise_share[index]).sqrt()),
        _ => None,
    }
}

/// Whether the answer passes.
pub fn judge(row: &Row, answer: &Answer) -> bool {
    match answer {
        Text(text) => *text == row.expected,
        Number(x) => {
            let numbers = [&row.expected, &row.below, &row.above].map(|text| text.parse::<f64>());
            let [Ok(expected), Ok(below), Ok(above)] = numbers else { return false };
            expected - below <= *x && *x <= expected + above
        }
        Ln(ln_x) => {
            let numbers = [&row.expected, &row.below, &row.above].map(|text| ln_of_decimal(text));
            let [Some(expected), Some(below), Some(above)] = numbers else { return false };
            // A logarithm of this size has only so many digits.
            let resolution = 4.0 * f64::EPSILON * expected.abs();
            let low = expected + libm::log1p(-libm::exp(below - expected)) - resolution;
            let high = expected + libm::log1p(libm::exp(above - expected)) + resolution;
            low <= *ln_x && *ln_x <= high
        }
    }
}

/// ln of a positive decimal that may be too small for a number.
fn ln_of_decimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (mantissa, exponent): (f64, f64) = (mantissa.parse().ok()?, exponent.parse().ok()?);
    Some(libm::log(mantissa) + exponent * std::f64::consts::LN_10)
}

/// The rows of one file.
pub fn rows(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("name,inputs,expected,tol_below,tol_above"), "the header");
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, inputs, expected, below, above] = fields[..] else { panic!("five fields: {line}") };
            let inputs = inputs.split(';').map(|item| {
                let (key, value) = item.split_once('=').unwrap_or_else(|| panic!("{name}: {item}"));
                (key.to_owned(), value.to_owned())
            });
            let [name, expected, below, above] = [name, expected, below, above].map(str::to_owned);
            Row { name, inputs: inputs.collect(), expected, below, above }
        })
        .collect()
}

/// How one file went.
#[derive(Default)]
pub struct Outcome {
    pub passed: usize,
    /// A line for each row that failed.
    pub wrong: Vec<String>,
    /// Functions that do not exist yet.
    pub unknown: BTreeSet<String>,
}

/// Answers and judges all rows of a file.
pub fn run(file: &str, text: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for row in rows(text) {
        let function = row.function(file);
        match answer(&function, &row) {
            Some(answer) if judge(&row, &answer) => outcome.passed += 1,
            Some(answer) => {
                let answer = match answer {
                    Number(x) => format!("{x:e}"),
                    Ln(ln_x) => format!("exp({ln_x})"),
                    Text(text) => text,
                };
                outcome.wrong.push(format!("{file} {}: {answer}, expected {}", row.name, row.expected));
            }
            None => drop(outcome.unknown.insert(function)),
        }
    }
    outcome
}

/// All files, in whole: somebody answers every row, and every answer passes.
pub fn all_pass() {
    for (file, text) in FILES {
        let Outcome { passed, wrong, unknown } = run(file, text);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(unknown.is_empty(), "{file}: nobody answers {unknown:?}");
        assert!(passed > 0, "{file} is empty");
    }
}
