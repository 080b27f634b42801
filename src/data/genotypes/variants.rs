//! Which variants of a source a plan uses, and what their columns are called.
//!
//! A variant's column is named by its identifier. Where that is `.`, or several alleles have it, and also where the plan says
//! so itself, it is named `CHROM:POS:REF:ALT`; the counted allele is the last. A source may have many millions of variants, so
//! only those are kept that some column of the plan fits: memory is that of the plan's columns.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::error::{GenotypeError, GenotypeFault, SourceFile};
use crate::data::header::MAX_COLUMNS;
use crate::plan::Plan;
use crate::plan::bind::fits;

/// The columns that a plan asks for, by name or by pattern.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    names: HashSet<String>,
    patterns: Vec<String>,
}

impl Wanted {
    /// Those of a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let names = plan.columns.iter().filter_map(|column| column.name.clone());
        Self {
            names: names.chain(plan.person.clone()).collect(),
            patterns: plan.columns.iter().filter_map(|column| column.pattern.clone()).collect(),
        }
    }

    /// Whether a column of this name is asked for.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        self.names.contains(name) || self.patterns.iter().any(|pattern| fits(pattern, name))
    }
}

/// One allele of a variant as its source describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allele<'a> {
    pub id: &'a str,
    pub chromosome: &'a str,
    pub position: u64,
    pub reference: &'a str,
    /// The allele that is counted.
    pub counted: &'a str,
}

/// Alleles that the plan may use, before it is known which identifiers are repeated.
#[derive(Debug)]
pub(super) struct Candidates {
    file: SourceFile,
    wanted: Wanted,
    found: Vec<Candidate>,
    /// `CHROM:POS:REF:ALT` of the allele in hand.
    coordinates: String,
}

#[derive(Debug)]
struct Candidate {
    /// Where the plan asks for it.
    id: Option<String>,
    coordinates: String,
    line: u64,
}

impl Candidates {
    pub fn new(file: SourceFile, wanted: Wanted) -> Self {
        Self { file, wanted, found: Vec::new(), coordinates: String::new() }
    }

    /// Keeps an allele if the plan may use it, and says whether it did.
    pub fn offer(&mut self, line: u64, allele: &Allele<'_>) -> Result<bool, GenotypeError> {
        let Allele { id, chromosome, position, reference, counted } = *allele;
        self.coordinates.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.coordinates, "{chromosome}:{position}:{reference}:{counted}");
        let by_id = id != "." && self.wanted.fits(id);
        if !by_id && !self.wanted.fits(&self.coordinates) {
            return Ok(false);
        }
        if self.found.len() >= MAX_COLUMNS {
            let fault = GenotypeFault::TooManyVariants { most: MAX_COLUMNS };
            return Err(GenotypeError::of(self.file, fault));
        }
        let id = by_id.then(|| id.to_owned());
        self.found.push(Candidate { id, coordinates: self.coordinates.clone(), line });
        Ok(true)
    }

    /// How many are kept so far.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The column's name of each, in the source's order; `None` for one that the plan does not use after all, because its
    /// identifier is repeated.
    pub fn names(self) -> Result<Vec<Option<String>>, GenotypeError> {
        let Self { file, wanted, found, .. } = self;
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for id in found.iter().filter_map(|candidate| candidate.id.as_deref()) {
            *counts.entry(id).or_default() += 1;
        }
        let repeated: HashSet<String> =
            counts.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id.to_owned()).collect();
        let name = |Candidate { id, coordinates, line }: Candidate| match id {
            Some(id) if !repeated.contains(&id) => Ok(Some(id)),
            Some(id) if wanted.names.contains(&id) => {
                let fault = GenotypeFault::DoubledVariant { id, coordinates };
                Err(GenotypeError::at(file, line, fault))
            }
            _ => Ok(wanted.fits(&coordinates).then_some(coordinates)),
        };
        found.into_iter().map(name).collect()
    }
}
