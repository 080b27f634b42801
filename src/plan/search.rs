//! Finds names by typed text: a part of the name, or a pattern with stars.

use super::bind::fits;

/// A search among names. Nothing typed finds all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    typed: String,
    lower: String,
}

impl Search {
    /// Creates a search from typed text, without the spaces around it.
    pub fn new(typed: &str) -> Self {
        let typed = typed.trim().to_owned();
        Self { lower: typed.to_lowercase(), typed }
    }

    /// Returns whether it is a pattern, which a plan may have in place of names.
    pub fn is_pattern(&self) -> bool {
        self.typed.contains('*')
    }

    /// Returns whether a name is found: by a pattern letter for letter, by a part of it in small or capital letters.
    pub fn finds(&self, name: &str) -> bool {
        if self.is_pattern() {
            return fits(&self.typed, name);
        }
        self.typed.is_empty() || name.contains(&self.typed) || name.to_lowercase().contains(&self.lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_or_a_pattern_finds_names() {
        for (typed, name, found) in [
            ("", "anything", true),
            ("  ", "anything", true),
            (" BRCA ", "gene_brca1", true),
            ("gene_*", "gene_brca1", true),
            ("GENE_*", "gene_brca1", false),
            ("*brca", "gene_brca1", false),
            ("brca2", "gene_brca1", false),
            ("é", "É1", true),
        ] {
            assert_eq!(Search::new(typed).finds(name), found, "{typed} {name}");
        }
    }
}
