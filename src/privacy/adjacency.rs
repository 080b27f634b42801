//! Which tables are neighbours, and whose data the guarantee covers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The neighbouring relation: the pairs of tables that a release must not distinguish (theory/encoding 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// They differ by the presence of one person; the number of rows is private.
    AddRemove,
    /// They have the same number of rows (of persons, with a person column), and one person's data differ; the number
    /// is public.
    ReplaceOne,
}

/// The part of a person's data that the guarantee covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protect {
    /// All of it.
    #[default]
    Rows,
    /// The features; outcomes may be known.
    Features,
    /// The outcomes; features may be known.
    Labels,
}

impl Adjacency {
    /// Returns the name as it is written in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddRemove => "add-remove",
            Self::ReplaceOne => "replace-one",
        }
    }
}

impl fmt::Display for Adjacency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Display for Protect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rows => "rows",
            Self::Features => "features",
            Self::Labels => "labels",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_documents() {
        for (value, text) in [(Adjacency::AddRemove, "add-remove"), (Adjacency::ReplaceOne, "replace-one")] {
            assert_eq!(value.to_string(), text);
            assert_eq!(serde_json::to_value(value).unwrap(), text);
        }
        for (value, text) in
            [(Protect::Rows, "rows"), (Protect::Features, "features"), (Protect::Labels, "labels")]
        {
            assert_eq!(value.to_string(), text);
            assert_eq!(serde_json::to_value(value).unwrap(), text);
        }
        assert!(serde_json::from_str::<Adjacency>("\"add_remove\"").is_err());
    }
}
