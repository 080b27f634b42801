//! The help texts.

/// `discreet --help`.
pub const MAIN: &str = "\
discreet: private regression of a table that stays where it is

  discreet release   --plan plan.json --ledger ledger.json TABLE     charge the ledger, print a release
  discreet simulate  --plan plan.json --runs N --seed N TABLE        seeded demonstrations, one a line; no privacy
  discreet refit     --release FILE --outcome NAME --features A,B    another regression from a release, at no cost
  discreet ledger    new | show | verify | import | relax            budgets
  discreet account   sigma | epsilon | delta | mu | rho              conversions

`discreet COMMAND --help` explains a command; `discreet --version` names this version.
TABLE is a CSV file with a header line, or - for standard input; or the .bed file of a PLINK set, or a .vcf or .vcf.gz. Options are written --x value or --x=value.
Status: 0 done, 2 bad input, 3 budget refused, 1 anything else (the line says whether the charge was made).
";

/// `discreet release --help`.
pub const RELEASE: &str = "\
discreet release --plan FILE --ledger FILE TABLE [--public FILE] [--phenotypes FILE] [--workers N]

Reads the table, charges the ledger, draws the noise from the operating system's randomness and prints one release
(discreet.release/1) on standard output. Keep it: it is stored nowhere else, and a release that is lost stays charged.

  --plan FILE     the plan (discreet.plan/1)
  --ledger FILE   the ledger of this table's persons; locked by FILE.lock while the command runs
  --public FILE   what is publicly known of the columns, for mechanisms that are guided by it: a CSV of other people's
                  rows, a typed table (discreet.public/1) or an earlier release. Never the table itself, nor a part of it:
                  nothing protects what is read from here, and the release repeats it.
  --phenotypes FILE
                  with genotypes: outcomes and covariates by IID, and FID where the table has it
  --workers N     threads that read the table; as many as there are processors. The result does not depend on it.
";

/// `discreet simulate --help`.
pub const SIMULATE: &str = "\
discreet simulate --plan FILE TABLE [--public FILE] [--phenotypes FILE] [--runs N] [--seed N] [--resample] [--workers N]

Prints one release a line, each marked DEMO. Nothing is charged and nothing is private: for trying out, on data that may
be seen. The budget {\"none\": true} runs without any noise.

  --runs N       how many; 1 unless given
  --seed N       run i depends on the seed and on i alone; 1 unless given
  --resample     draw the rows anew, with replacement, for each run
  --public FILE  what is publicly known of the columns, as for `release`
  --phenotypes FILE
                 with genotypes: outcomes and covariates by IID, and FID where the table has it
  --workers N    threads that read the table
";

/// `discreet refit --help`.
pub const REFIT: &str = "\
discreet refit --release FILE --outcome NAME --features A,B,... [--ridge none|auto|NUMBER]
               [--repair shift|floor|none] [--confidence 0.95]

Computes another regression from the moments of a release. It reads no table and costs nothing.
";

/// `discreet ledger --help`.
pub const LEDGER: &str = "\
discreet ledger new FILE --epsilon E --delta D --adjacency add-remove|replace-one
                         (or --mu M --delta D, --rho R --delta D in place of --epsilon E --delta D)
                         [--split gaussian|other|both] [--other-epsilon E --other-delta D]
                         [--protect rows|features|labels] [--max-rows-per-person K]
discreet ledger show FILE                  what is charged and what is left
discreet ledger verify FILE                ok, or where the chain breaks (status 2)
discreet ledger import FILE EXPORTED       take over a copy of the same ledger that has gone on
discreet ledger relax FILE features|labels --confirm
                                           protect less from now on, once and for good

A budget is fixed for a table before anything is asked of it. One ledger belongs to one group of persons; budgets of
different ledgers about the same persons add up.
";

/// How `discreet account --help` begins; the table of conversions follows.
pub const ACCOUNT: &str = "\
discreet account NAME OPTIONS

Prints one number. What may be spent is rounded down, what is lost or needed up, unless a line says otherwise.
`discreet account NAME --help` shows one of them.
";
