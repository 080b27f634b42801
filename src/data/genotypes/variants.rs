//! Selects the variants that a plan uses, and names their columns.
//!
//! The column of a site's alternative allele has the site's identifier as its name. If that is `.`, or several alleles have it, or
//! the plan uses coordinates, the name is `CHROM:POS:REF:ALT`; the counted allele is the last. A plan may also name the counted
//! allele, like the header of PLINK's `--recode A`: `rs123_G` counts G, whether G is the reference or the alternative of the
//! source. Then the counted allele does not depend on which of the two was rarer when the source was made.
//!
//! A source may have many millions of variants. Only those that fit a column of the plan are kept, so memory is that of the plan's
//! columns.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::error::{GenotypeError, GenotypeFault, SourceFile};
use crate::data::header::MAX_COLUMNS;
use crate::plan::Plan;
use crate::plan::bind::fits;

/// Variants that a person chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// By a name of the column.
    Name(String),
    /// By a pattern, in which `*` stands for any characters.
    Pattern(String),
    /// All variants from one identifier to another, in the source's order, including both.
    Range(String, String),
}

impl Choice {
    /// Returns a pattern if the text has a star, otherwise a name.
    pub fn of(text: &str) -> Self {
        if text.contains('*') { Self::Pattern(text.to_owned()) } else { Self::Name(text.to_owned()) }
    }
}

/// The columns that a plan or a person asks for, by name or by pattern.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    names: HashSet<String>,
    patterns: Vec<String>,
    ranges: Vec<[String; 2]>,
}

impl Wanted {
    /// Returns the variants that a plan names.
    pub fn new(plan: &Plan) -> Self {
        let names = plan.columns.iter().filter_map(|column| column.name.clone());
        Self {
            names: names.chain(plan.person.clone()).collect(),
            patterns: plan.columns.iter().filter_map(|column| column.pattern.clone()).collect(),
            ranges: Vec::new(),
        }
    }

    /// Returns the variants that a person chose.
    pub fn of(choices: &[Choice]) -> Self {
        let mut wanted = Self::default();
        for choice in choices.iter().cloned() {
            match choice {
                Choice::Name(name) => {
                    wanted.names.insert(name);
                }
                Choice::Pattern(pattern) => wanted.patterns.push(pattern),
                Choice::Range(first, last) => wanted.ranges.push([first, last]),
            }
        }
        wanted
    }

    /// Returns all columns.
    pub fn all() -> Self {
        Self::of(&[Choice::Pattern("*".to_owned())])
    }

    /// Returns whether a column of this name is asked for.
    pub fn fits(&self, name: &str) -> bool {
        self.names.contains(name) || self.patterns.iter().any(|pattern| fits(pattern, name))
    }
}

/// A pattern that fits no column, because several alleles or variants have the identifier that it fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// The pattern.
    pub pattern: String,
    /// The identifier.
    pub id: String,
    /// How one of them can be named.
    pub coordinates: String,
}

/// One line of a source: a position in the genome with its alleles; the first is the reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    pub id: &'a str,
    pub chromosome: &'a str,
    pub position: u64,
    pub alleles: &'a [&'a str],
}

/// Alleles that the plan may use, before it is known which identifiers are repeated.
#[derive(Debug)]
pub(super) struct Candidates {
    file: SourceFile,
    wanted: Wanted,
    found: Vec<Candidate>,
    /// Identifiers that the plan names beside an allele of the same site.
    beside: Vec<Beside>,
    /// Which ends of each range were found.
    met: Vec<[bool; 2]>,
    /// A name that is looked up.
    name: String,
}

/// A site of which the plan names an allele, and the identifier too.
#[derive(Debug)]
struct Beside {
    id: String,
    /// How an allele can be named, if possible another than the plan names.
    coordinates: String,
    line: u64,
    /// How many alternative alleles the site has.
    alleles: usize,
}

#[derive(Debug)]
struct Candidate {
    name: Name,
    coordinates: String,
    line: u64,
}

#[derive(Debug)]
enum Name {
    /// The plan names identifier and allele.
    Allele(String),
    /// The plan asks for this identifier.
    Id(String),
    /// The plan asks for the coordinates.
    Coordinates,
}

impl Candidates {
    pub fn new(file: SourceFile, wanted: Wanted) -> Self {
        let met = vec![[false; 2]; wanted.ranges.len()];
        Self { file, wanted, found: Vec::new(), beside: Vec::new(), met, name: String::new() }
    }

    /// Keeps the alleles of a site that the plan may use, and returns their numbers.
    pub fn offer(&mut self, line: u64, site: &Site<'_>) -> Result<Vec<usize>, GenotypeError> {
        let Site { id, chromosome, position, alleles } = *site;
        let Some((reference, alternatives)) = alleles.split_first() else { return Ok(Vec::new()) };
        // Writing to a string cannot fail.
        let coordinates = |name: &mut String, allele: &str| {
            name.clear();
            let _ = write!(name, "{chromosome}:{position}:{reference}:{allele}");
        };
        let mut kept = Vec::new();
        let in_range = self.in_range(id);
        for (place, allele) in alleles.iter().enumerate() {
            self.name.clear();
            let _ = write!(self.name, "{id}_{allele}");
            if id != "." && self.wanted.names.contains(&self.name) {
                let name = Name::Allele(self.name.clone());
                coordinates(&mut self.name, allele);
                self.found.push(Candidate { name, coordinates: self.name.clone(), line });
                kept.push(place);
            }
        }
        // If the plan names an allele of the site, patterns are not applied to it.
        if kept.is_empty() {
            let by_id = id != "." && (in_range || self.wanted.fits(id));
            for (place, allele) in alternatives.iter().enumerate() {
                coordinates(&mut self.name, allele);
                if by_id || in_range || self.wanted.fits(&self.name) {
                    let name = if by_id { Name::Id(id.to_owned()) } else { Name::Coordinates };
                    self.found.push(Candidate { name, coordinates: self.name.clone(), line });
                    kept.push(place + 1);
                }
            }
        } else {
            let unkept = (1..alleles.len()).filter(|place| !kept.contains(place)).collect::<Vec<_>>();
            for &place in &unkept {
                coordinates(&mut self.name, alleles[place]);
                if self.wanted.names.contains(&self.name) {
                    let coordinates = self.name.clone();
                    self.found.push(Candidate { name: Name::Coordinates, coordinates, line });
                    kept.push(place);
                }
            }
            if id != "." && self.wanted.names.contains(id) {
                let other = unkept.first().copied().unwrap_or(alternatives.len());
                coordinates(&mut self.name, alleles[other]);
                let (id, coordinates) = (id.to_owned(), self.name.clone());
                self.beside.push(Beside { id, coordinates, line, alleles: alternatives.len() });
            }
        }
        if self.found.len() > MAX_COLUMNS {
            let fault = GenotypeFault::TooManyVariants { most: MAX_COLUMNS };
            return Err(GenotypeError::of(self.file, fault));
        }
        Ok(kept)
    }

    /// Returns whether a site is in a range, including its ends. A range begins at the end that is found first.
    fn in_range(&mut self, id: &str) -> bool {
        let mut within = false;
        for (ends, met) in self.wanted.ranges.iter().zip(&mut self.met) {
            let before = *met;
            if before != [true; 2] {
                for (end, met) in ends.iter().zip(met.iter_mut()) {
                    *met = *met || end == id;
                }
                within = within || *met != [false; 2];
            }
        }
        within
    }

    /// Returns the number of alleles kept so far.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns the column's name of each allele, in the source's order; `None` for one that the plan does not use, because its
    /// identifier is repeated. Returns also the patterns that fit no column for that reason.
    pub fn names(self) -> Result<(Vec<Option<String>>, Vec<Shared>), GenotypeError> {
        let Self { file, wanted, found, beside, met, .. } = self;
        let ends = wanted.ranges.iter().flatten().zip(met.iter().flatten());
        if let Some((id, _)) = ends.into_iter().find(|(_, met)| !**met) {
            return Err(GenotypeError::of(file, GenotypeFault::NoSuchVariant { id: id.clone() }));
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for candidate in &found {
            if let Name::Id(id) = &candidate.name {
                *counts.entry(id).or_default() += 1;
            }
        }
        for Beside { id, alleles, .. } in &beside {
            *counts.entry(id).or_default() += alleles;
        }
        let repeated: HashSet<String> =
            counts.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id.to_owned()).collect();
        if let Some(Beside { id, coordinates, line, .. }) =
            beside.into_iter().find(|beside| repeated.contains(&beside.id))
        {
            return Err(GenotypeError::at(file, line, GenotypeFault::DoubledVariant { id, coordinates }));
        }
        let mut shared: Vec<Shared> = Vec::new();
        for Candidate { name, coordinates, .. } in &found {
            let Name::Id(id) = name else { continue };
            for pattern in wanted.patterns.iter().filter(|_| repeated.contains(id)) {
                if fits(pattern, id) && shared.iter().all(|known| known.pattern != *pattern) {
                    let (pattern, id, coordinates) = (pattern.clone(), id.clone(), coordinates.clone());
                    shared.push(Shared { pattern, id, coordinates });
                }
            }
        }
        let name = |Candidate { name, coordinates, line }: Candidate| match name {
            Name::Allele(name) => Ok(Some(name)),
            Name::Id(id) if !repeated.contains(&id) => Ok(Some(id)),
            Name::Id(id) if wanted.names.contains(&id) => {
                let fault = GenotypeFault::DoubledVariant { id, coordinates };
                Err(GenotypeError::at(file, line, fault))
            }
            _ => Ok((!wanted.ranges.is_empty() || wanted.fits(&coordinates)).then_some(coordinates)),
        };
        let names: Vec<Option<String>> = found.into_iter().map(name).collect::<Result<_, _>>()?;
        shared.retain(|shared| !names.iter().flatten().any(|name| fits(&shared.pattern, name)));
        Ok((names, shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the columns, and the patterns that fit none because several have the identifier.
    fn found(choices: &[&str]) -> Result<(Vec<String>, Vec<Shared>), GenotypeError> {
        let choices: Vec<Choice> = choices.iter().map(|choice| Choice::of(choice)).collect();
        let mut candidates = Candidates::new(SourceFile::Vcf, Wanted::of(&choices));
        let sites: [(&str, u64, &[&str]); 4] = [
            ("rs1", 10, &["A", "G"]),
            ("rs5", 50, &["A", "G", "T"]),
            ("rs6", 60, &["C", "T"]),
            ("rs6", 60, &["C", "G"]),
        ];
        for (line, (id, position, alleles)) in (1..).zip(sites) {
            candidates.offer(line, &Site { id, chromosome: "1", position, alleles })?;
        }
        candidates.names().map(|(names, shared)| (names.into_iter().flatten().collect(), shared))
    }

    fn names(choices: &[&str]) -> Vec<String> {
        found(choices).unwrap().0
    }

    /// Returns the line, the identifier and the advice, where one is named that several have.
    fn doubled(choices: &[&str]) -> (u64, String, String) {
        let error = found(choices).unwrap_err();
        let GenotypeFault::DoubledVariant { id, coordinates } = error.fault else { panic!("{error}") };
        (error.place.line.unwrap(), id, coordinates)
    }

    #[test]
    fn an_identifier_that_several_have_is_refused_also_beside_one_of_its_alleles() {
        let told = |line, id: &str, coordinates: &str| (line, id.to_owned(), coordinates.to_owned());
        assert_eq!(doubled(&["rs5"]), told(2, "rs5", "1:50:A:G"));
        assert_eq!(doubled(&["rs5_G", "rs5"]), told(2, "rs5", "1:50:A:T"));
        assert_eq!(doubled(&["rs5_A", "rs5"]), told(2, "rs5", "1:50:A:G"));
        assert_eq!(doubled(&["rs6"]), told(3, "rs6", "1:60:C:T"));
        assert_eq!(doubled(&["rs6_G", "rs6"]).1, "rs6");
        assert_eq!(names(&["rs1", "rs5_T"]), ["rs1", "rs5_T"]);
        // An identifier of one variant means the allele that is named.
        assert_eq!(names(&["rs1_G", "rs1"]), ["rs1_G"]);
    }

    #[test]
    fn another_allele_of_a_site_can_be_named_by_its_coordinates() {
        assert_eq!(names(&["rs5_G", "1:50:A:T"]), ["rs5_G", "1:50:A:T"]);
        assert_eq!(names(&["rs5_A", "1:50:A:G"]), ["rs5_A", "1:50:A:G"]);
        // A pattern is not applied to a site of which an allele is named.
        assert_eq!(names(&["rs5_G", "1:50:*"]), ["rs5_G"]);
    }

    #[test]
    fn a_pattern_that_fits_shared_identifiers_alone_is_told_of() {
        let (names, shared) = found(&["rs5*", "rs6*", "rs*", "1:60:*", "x*"]).unwrap();
        assert_eq!(names, ["rs1", "1:60:C:T", "1:60:C:G"]);
        let told: Vec<[&str; 3]> = shared
            .iter()
            .map(|found| [&found.pattern, &found.id, &found.coordinates].map(String::as_str))
            .collect();
        assert_eq!(told, [["rs5*", "rs5", "1:50:A:G"], ["rs6*", "rs6", "1:60:C:T"]]);
    }
}
