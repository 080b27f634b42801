//! The engine worker: reads the table through its scanning workers, charges the ledger, releases. Private values end here.

use std::cell::Cell;

use web_sys::{Blob, MessagePort};
use zeroize::Zeroizing;

use super::channel::Riders;
use super::crew::{Crew, confused, outcome};
use super::files::Files;
use super::genotypes::{self, Genotypes};
use super::protocol::{Failure, Look, Reason, ReleaseRequest, Response, ScanRequest, ScanResponse};
use super::read::{Pieces, length};
use crate::data::genotypes::Wanted;
use crate::data::header::read_header;
use crate::data::slices::{Combiner, Job, Scan, SliceReport, slice_bytes};
use crate::data::{Gathered, Header, HeaderRead, HeaderRules, Role, RowSink, Sketch};
use crate::engine::{self, Prepared};
use crate::noise::entropy::PrivateRng;
use crate::plan::bound::Encoding;
use crate::plan::{CheckedPlan, Plan, Purpose};
use crate::privacy::ledger::Ledger;
use crate::release::document::Software;
use crate::store;

thread_local! {
    /// Whether this worker's request has stored its charge. From then on every failure has the same words.
    static CHARGED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the charge is stored.
pub fn charged() -> bool {
    CHARGED.get()
}

/// Recognises the table, and keeps its sketch.
pub async fn identify(files: Files, ports: Vec<MessagePort>, post: impl Fn(&Response)) -> Response {
    match try_identify(files, ports, post).await {
        Ok(table) => Response::Identified { table },
        Err(failure) => Response::Failed(failure),
    }
}

async fn try_identify(
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<String, Failure> {
    if genotypes::are(&files) {
        let sketch =
            Sketch::of_people(&store::sketch_key().await?, genotypes::people(&files).await?.people());
        let (key, _) = Crew::new(files, ports, post, 1).recognise(None).await?;
        store::keep_sketch(&key, &sketch).await?;
        return Ok(key);
    }
    let mut table = Table::new(files, ports, post, 1)?;
    // A name of any bytes will do here. A file without a header that can be read is sketched as if all of it were records;
    // nothing can be released from it as it stands.
    let rules = HeaderRules { delimiter: None, encoding: Encoding::Latin1 };
    let header = match table.header(rules).await {
        Err(Failure { reason: Reason::Table, .. }) => {
            Header { names: Vec::new(), delimiter: b',', body_offset: 0, lines: 0 }
        }
        header => header?,
    };
    let (key, sketch) = table.crew.recognise(Some(&header)).await?;
    store::keep_sketch(&key, &sketch).await?;
    Ok(key)
}

/// Says what a person sees of genotypes before they are described.
pub async fn look(request: &Look, files: Files, post: impl Fn(&Response)) -> Response {
    let mut crew = Crew::new(files.clone(), Vec::new(), post, 1);
    match genotypes::look(request, &files, &mut |bytes| crew.advance(bytes)).await {
        Ok(looked) => Response::Looked(Box::new(looked)),
        Err(failure) => Response::Failed(failure),
    }
}

/// Reads the table, charges, releases. The release's document rides beside the answer.
pub async fn release(
    request: ReleaseRequest,
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> (Response, Riders) {
    let failed = |failure| (Response::Failed(failure), Riders::default());
    match try_release(request, files, ports, post).await {
        Ok((ledger, document)) => (
            Response::Released { ledger: Box::new(ledger) },
            Riders { files: vec![document], ..Riders::default() },
        ),
        Err(_) if charged() => failed(Failure::after_charge(Reason::Internal)),
        Err(failure) => failed(failure),
    }
}

async fn try_release(
    request: ReleaseRequest,
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<(Ledger, Blob), Failure> {
    let ReleaseRequest { files: _, columns, plan, table: key, name, build, public } = request;
    let checked = CheckedPlan::new(plan.clone(), Purpose::Release)
        .map_err(|error| Failure::new(Reason::Plan, error.to_string()))?;
    let mut source = Source::open(files, ports, &post, &checked).await?;
    let (names, delimiter) = source.header(&checked);
    let prepared = engine::prepare_with(plan.clone(), public.as_ref(), names, delimiter, Purpose::Release)
        .map_err(|error| Failure::new(Reason::Plan, error.to_string()))?;
    // The page refuses it too; here the rows would be kept until memory ends.
    if prepared.rereads() {
        return Err(Failure::new(
            Reason::Plan,
            "So many rows are not kept in a browser's memory. Nothing was charged. Run the plan on the command line.",
        ));
    }
    // Of genotypes the page knows the variants that were chosen, and the plan may fit others.
    if prepared.bound().columns.len() != columns {
        return Err(Failure::new(
            Reason::Plan,
            "In these files the plan fits other columns than the page shows. Nothing was charged. Choose the variants again, \
             by names alone.",
        ));
    }
    // A refusal depends on public numbers alone, so it need not wait for the table.
    store::check(&key, &prepared.request()).await?;
    if source.crew().recognise(None).await?.0 != key {
        return Err(Failure::new(
            Reason::File,
            "The file is not the one that was recognised: it has changed since. Nothing was charged. Choose it again.",
        ));
    }
    let scan = source.scan(plan, &prepared).await?;
    engine::check_table(&prepared, scan.records, scan.persons)
        .map_err(|error| Failure::new(Reason::Table, error.to_string()))?;

    // From the operating system before the charge, for it may refuse; no byte is drawn from it before the charge.
    let rng = PrivateRng::from_os().map_err(|error| Failure::new(Reason::Internal, error.to_string()))?;
    let charge = store::charge(&key, &name, &prepared.request()).await?;
    CHARGED.set(true);
    post(&Response::Charged);

    let release = engine::release(&prepared, &scan.sink, rng, charge.reference(), Software::new(build))
        .map_err(|_| Failure::after_charge(Reason::Internal))?;
    charge.settle(&release).await
}

/// What a release is made from, with the workers that read it.
enum Source<P> {
    Table(Table<P>, Header),
    Genotypes(Crew<P>, Box<Genotypes>),
}

/// The delimiter that a plan without one gets from genotypes: a VCF's own.
const GENOTYPE_DELIMITER: u8 = b'\t';

impl<P: Fn(&Response)> Source<P> {
    /// Reads what is public about the files, and of genotypes the samples and the variants that the plan uses.
    async fn open(
        files: Files,
        ports: Vec<MessagePort>,
        post: P,
        checked: &CheckedPlan,
    ) -> Result<Self, Failure> {
        if genotypes::are(&files) {
            let mut crew = Crew::new(files.clone(), ports, post, 3);
            let wanted = Wanted::new(&checked.plan);
            let opened =
                Genotypes::open(&files, &wanted, checked.encoding, &mut |bytes| crew.advance(bytes)).await?;
            return Ok(Self::Genotypes(crew, Box::new(opened)));
        }
        let table = Table::new(files, ports, post, 2)?;
        let rules = HeaderRules { delimiter: checked.delimiter, encoding: checked.encoding };
        let header = table.header(rules).await?;
        Ok(Self::Table(table, header))
    }

    /// The columns' names and the delimiter.
    fn header(&self, checked: &CheckedPlan) -> (&[String], u8) {
        match self {
            Self::Table(_, header) => (&header.names, header.delimiter),
            Self::Genotypes(_, opened) => (opened.names(), checked.delimiter.unwrap_or(GENOTYPE_DELIMITER)),
        }
    }

    fn crew(&mut self) -> &mut Crew<P> {
        match self {
            Self::Table(table, _) => &mut table.crew,
            Self::Genotypes(crew, _) => crew,
        }
    }

    /// All records, as exact sums.
    async fn scan(self, plan: Plan, prepared: &Prepared) -> Result<Scan<Gathered>, Failure> {
        match self {
            Self::Table(mut table, header) => {
                let setup = ScanRequest::Plan {
                    plan: Box::new(plan),
                    names: header.names.clone(),
                    delimiter: header.delimiter,
                    public: prepared.public().cloned().map(Box::new),
                };
                table.scan(&setup, &header, prepared).await
            }
            Self::Genotypes(mut crew, opened) => {
                let weight = crew.files.length();
                opened.scan(prepared, weight, &mut |bytes| crew.advance(bytes)).await
            }
        }
    }
}

/// A CSV and the workers that read it.
pub struct Table<P> {
    pub crew: Crew<P>,
    file: Blob,
    length: u64,
}

impl<P: Fn(&Response)> Table<P> {
    /// The table among these files, for so many passes over them.
    pub fn new(files: Files, ports: Vec<MessagePort>, post: P, passes: u64) -> Result<Self, Failure> {
        let file = files.get(Role::Table).cloned().ok_or_else(confused)?;
        Ok(Self { length: length(&file), file, crew: Crew::new(files, ports, post, passes) })
    }

    /// The first line.
    pub async fn header(&self, rules: HeaderRules) -> Result<Header, Failure> {
        let mut pieces = Pieces::new(&self.file, 0, 0);
        let mut bytes = Zeroizing::new(Vec::new());
        loop {
            let at_end = match pieces.next().await? {
                Some(piece) => {
                    bytes.extend_from_slice(piece);
                    bytes.len() as u64 >= self.length
                }
                None => true,
            };
            match read_header(&bytes, at_end, rules) {
                Ok(HeaderRead::Header(header)) => return Ok(header),
                Ok(HeaderRead::NeedMore) if !at_end => {}
                Ok(HeaderRead::NeedMore) => return Err(confused()),
                Err(error) => return Err(Failure::new(Reason::Table, error.to_string())),
            }
        }
    }

    /// All records, as exact sums, once the workers were told by `setup` how to read them.
    pub async fn scan(
        &mut self,
        setup: &ScanRequest,
        header: &Header,
        prepared: &Prepared,
    ) -> Result<Scan<Gathered>, Failure> {
        for scanner in &self.crew.scanners {
            scanner.ask(setup)?;
        }
        let workers = self.crew.scanners.len();
        let step = slice_bytes(self.length, prepared.gather().least_bytes(), workers);
        let mut combiner = Combiner::<Gathered>::new(header, self.length, prepared.bound(), step, workers);
        let mut jobs: Vec<Option<Job>> = vec![None; workers];
        while !combiner.is_done() {
            for (scanner, job) in self.crew.scanners.iter().zip(&mut jobs) {
                if job.is_none()
                    && let Some(next) = combiner.next_job()
                {
                    scanner.ask(&ScanRequest::Slice { job: next })?;
                    *job = Some(next);
                }
            }
            let (scanner, answer) = self.crew.answer().await?;
            let ScanResponse::Sliced(sliced) = answer.body else { return Err(confused()) };
            let job = jobs.get_mut(scanner).and_then(Option::take).ok_or_else(confused)?;
            let moments = || {
                let bytes = answer.riders.bytes.as_ref().ok_or_else(confused)?;
                prepared.gathered(&Zeroizing::new(bytes.to_vec())).map_err(|_| confused())
            };
            let report = SliceReport { job, outcome: outcome(sliced, moments)? };
            combiner.offer(report).map_err(|error| Failure::new(Reason::Table, error.to_string()))?;
        }
        match combiner.finish() {
            Some(scan) => Ok(scan),
            None => Ok(Scan { sink: prepared.gather(), records: 0, persons: None }),
        }
    }
}
