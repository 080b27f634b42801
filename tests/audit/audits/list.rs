//! The list that the page offers (T1 to T3 and T5, with the controls).

use discreet::audit::check::{Check, Verdict};

use super::{Audit, audit};

pub fn audits() -> Vec<Audit> {
    vec![audit("the page's list", || {
        let mut check = Check::new(20_261_122);
        let items = Check::items();
        let mut caught = 0;
        // It ends at the first item that fails: a sampler with a flipped coin may never come to an end.
        while let Some(finding) = check.step().unwrap() {
            let title = &items[finding.item].title;
            match finding.verdict {
                Verdict::Running | Verdict::Holds => {}
                Verdict::Caught => caught += 1,
                Verdict::Broken => return Err(format!("\"{title}\" fails")),
                Verdict::Missed => return Err(format!("\"{title}\" is not noticed")),
            }
        }
        Ok(format!("{} items hold, {caught} wrong formulas are caught", items.len() - caught))
    })]
}
