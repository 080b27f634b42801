//! The help texts.

/// `discreet --help`.
pub const MAIN: &str = "\
discreet: differentially private regression; the table stays on this computer

  discreet release   --plan plan.json --ledger ledger.json TABLE     charge the ledger and print a release
  discreet check     --plan plan.json TABLE                          print what a release will cost and give, free
  discreet simulate  --plan plan.json --runs N --seed N TABLE        print demonstrations, which are not private
  discreet refit     --release FILE --outcome NAME --features A,B    compute another regression from a release, free
  discreet report    --release FILE --format html                    print a release as a journal does, free
  discreet ledger    new | show | verify | reprint | import | relax  open and inspect ledgers
  discreet account   sigma | epsilon | delta | mu | rho              convert between measures of privacy
  discreet mechs     [NAME]                                          list the mechanisms, or explain one and its parameters
  discreet page                                                      open the page in a browser of this computer

`discreet COMMAND --help` explains a command; `discreet --version` prints the version.
TABLE is a CSV with a header line (also .csv.gz or UTF-16), a workbook (book.xlsx, or book.xlsx#Sheet2), the .bed file of
a PLINK set, a .vcf or a .vcf.gz file; - reads a CSV from standard input. Options are written --x value or --x=value.
Exit status: 0 success, 2 invalid input, 3 budget refused, 1 other failure (the message says whether the ledger was
charged).
";

/// `discreet release --help`.
pub const RELEASE: &str = "\
discreet release --plan FILE --ledger FILE TABLE [--public FILE] [--phenotypes FILE] [--workers N] [--confirm]
                 [--confirm-public \"different people\"] [--confirm-weak \"weak promise\"]

Reads the table, charges the ledger, adds noise from the operating system's random bytes and prints one release
(discreet.release/1) on standard output. A copy is kept in the folder FILE.releases beside the ledger, from which
`discreet ledger reprint` prints it again.

  --plan FILE     the plan (discreet.plan/1)
  --ledger FILE   the ledger of the persons in this table; locked by FILE.lock while the command runs
  --public FILE   public moments of the columns, for mechanisms that use them: a CSV with rows of other people, a typed
                  table (discreet.public/1) or an earlier release. Never give the table itself or a part of it: nothing in
                  this file is protected, and the release contains a copy of it. A CSV that shares more than one row in
                  twenty with the table is refused: the rows are compared in the columns that both have.
  --confirm-public \"different people\"
                  states that the rows of the public CSV are other people, whose values coincide
  --confirm-weak \"weak promise\"
                  releases although the ledger's epsilon is above 20, or its delta above one in the plan's number of rows
  --phenotypes FILE
                  for genotypes: a table of outcomes and covariates by IID, and by FID if the table has it
  --workers N     threads that read the table; default: the number of processors. The result is the same for every N.
  --confirm       release also where `discreet check` says that no interval can be expected, where the rows of the file
                  contradict the plan, and where a release of the ledger answers the same question. Without it the
                  command asks before the charge on a terminal, and warns on standard error elsewhere, where it stops
                  if no row can count.
";

/// `discreet check --help`.
pub const CHECK: &str = "\
discreet check --plan FILE TABLE [--ledger FILE] [--public FILE] [--phenotypes FILE]

Prints what a release of this plan will cost, which interval widths to expect and which mechanism is recommended. It knows the
plan and the names of the columns alone, and charges nothing. Long tails are not foreseen. Warnings on standard error come from
the rows, which are private: keep them to yourself. A file is read to its end for them, and of a stream the first rows. With --ledger
it also says what the release takes of that budget, and has status 3 where the budget does not suffice.
";

/// `discreet simulate --help`.
pub const SIMULATE: &str = "\
discreet simulate --plan FILE TABLE [--public FILE] [--phenotypes FILE] [--runs N] [--seed N] [--resample] [--workers N]

Prints one release on each line, marked DEMO. Nothing is charged, and nothing is private: use it only with data that
everybody may see. With the budget {\"none\": true} no noise is added.

  --runs N       number of releases; default: 1
  --seed N       seed of the random numbers; run i depends on the seed and on i alone; default: 1
  --resample     draw the rows again for each run, with replacement
  --public FILE  public moments of the columns, as for `release`
  --phenotypes FILE
                 for genotypes: a table of outcomes and covariates by IID, and by FID if the table has it
  --workers N    threads that read the table
";

/// `discreet refit --help`.
pub const REFIT: &str = "\
discreet refit --release FILE --outcome NAME --features A,B,... [--ridge none|auto|NUMBER]
               [--repair shift|floor|none] [--confidence 0.95] [--format FORMAT [--per N]] [--path FORMAT]
               [--decimal point|comma]

Computes another regression from the moments of a release. It reads no table and costs nothing.
Without --ridge the penalty is that of the release's own regressions.
From a release of `adaptive-gauss` any of its outcomes can be fitted on any of its features. A ridge is then in the columns' own units.
Without --format it prints a document that programs read, with it tables for a reader: word, markdown, latex, csv or svg.
With --per 10 coefficients of numbers are for 10 units. With --decimal comma numbers have decimal commas, and a CSV has semicolons.
With --path it prints instead how each coefficient changes with the ridge, from 0 over powers of ten, in the same formats.
";

/// `discreet report --help`.
pub const REPORT: &str = "\
discreet report --release FILE [--format NAME] [--title TEXT] [--date TEXT] [--per N] [--decimal point|comma]
                [--outcome NAME] [--compare FILE]

Prints a release. It reads no table and costs nothing.

  --format NAME   html (a report, the default), word (tables to open or paste in a word processor), markdown, latex, csv,
                  r, python (programs that read the release and print its coefficients),
                  svg (the plot of one outcome), text (drafts of the paragraphs on methods and results)
                  or short (the methods in a few sentences, for an abstract)
  --title TEXT    what the table is called
  --date TEXT     the date, printed as it is given; without it there is none
  --per N         show the coefficients of numbers for N units of their columns, where the stated range is at least 2 N wide;
                  a display scale alone
  --decimal MARK  point (the default) or comma: of the numbers in tables, plots and a CSV, which has semicolons then
  --outcome NAME  whose plot is drawn; default: the first
  --compare FILE  another release, beside this one term by term: word, markdown, latex, csv or svg
";

/// `discreet ledger --help`.
pub const LEDGER: &str = "\
discreet ledger new FILE --epsilon E --delta D --adjacency add-remove|replace-one
                         (or --mu M --delta D, --rho R --delta D in place of --epsilon E --delta D)
                         [--split gaussian|other|both] [--other-epsilon E --other-delta D]
                         [--protect rows|features|labels] [--max-rows-per-person K]
                         [--confirm-weak \"weak promise\"]
discreet ledger show FILE                  print what was charged and what is left
discreet ledger verify FILE                print ok, or where the ledger was altered (status 2)
discreet ledger reprint FILE [--entry N]   print a release again, the last one unless N is given
discreet ledger import FILE EXPORTED       replace the ledger by a newer copy of it
discreet ledger relax FILE features|labels --confirm
                                           protect only features or only labels from now on; this is permanent

An epsilon above 20 or a delta above 0.001 protects next to nobody and needs --confirm-weak.
The budget of a ledger is fixed before the first release. Use one ledger for one group of persons: budgets of different
ledgers about the same persons add up.
";

/// `discreet mechs --help`.
pub const MECHS: &str = "\
discreet mechs [NAME] [--markdown]

Lists the mechanisms by group. With a name it prints what the mechanism does, its guarantee, its source and its parameters.

  --markdown      as the tables of the documentation
";

/// The beginning of `discreet account --help`; the table of conversions follows.
pub const ACCOUNT: &str = "\
discreet account NAME OPTIONS

Prints one number. Budgets are rounded down; privacy losses and noise scales up, unless a line says otherwise.
`discreet account NAME --help` explains one conversion.
";

/// `discreet page --help`.
pub const PAGE: &str = "\
discreet page [--folder DIR] [--port N] [--no-open]

Serves the page to this computer alone, and opens it in the browser. The table is read by the page, not by this program, and
needs no connection. Browsers keep the ledgers of each port apart, so leave --port as it is.

  --folder DIR    a page that `make dist` wrote, instead of the one that this program carries
  --port N        the port; 8640 unless N is given
  --no-open       print the address alone
";
