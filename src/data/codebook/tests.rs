use super::*;

const REDCAP: &str = "\u{feff}\"Variable / Field Name\",\"Form Name\",\"Section Header\",\"Field Type\",\"Field Label\",\"Choices, Calculations, OR Slider Labels\",\"Field Note\",\"Text Validation Type OR Show Slider Number\",\"Text Validation Min\",\"Text Validation Max\",Identifier?\r
record_id,base,,text,Study ID,,,,,,\r
dob,base,,text,\"Date of birth\",,,date_dmy,1920-01-01,,y\r
age,base,,text,\"<b>Age</b> at entry (years)\",,,integer,18,110,\r
sex,base,,radio,Sex,\"1, Male | 2, Female | -9, Not stated\",,,,,\r
smoker,base,,yesno,Current smoker,,,,,,\r
alive,base,,truefalse,Alive,,,,,,\r
drugs,base,,checkbox,Drugs,\"1, Aspirin, any dose | ST, Statin\",,,,,\r
sbp,base,,text,\"Systolic pressure, sitting (mmHg)\",,,number_1dp,40,270,\r
pain,base,,slider,Pain,\"none | some | worst\",,number,,,\r
bmi,base,,calc,BMI,\"round([weight]/([height]^2),1)\",,,,,\r
notes,base,,notes,Remarks,,,,,,\r
";

fn entry(text: &str, name: &str) -> Entry {
    let entries = read(text.as_bytes()).unwrap();
    entries.into_iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{name}"))
}

fn levels(entry: &Entry) -> Vec<(&str, &str)> {
    entry.levels.iter().map(|level| (level.code.as_str(), level.label.as_str())).collect()
}

#[test]
fn a_dictionary_of_redcap_is_read() {
    let names: Vec<String> = read(REDCAP.as_bytes()).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(
        names,
        [
            "record_id", "dob", "age", "sex", "smoker", "alive", "drugs___1", "drugs___st", "sbp", "pain",
            "bmi", "notes"
        ]
    );
    let age = entry(REDCAP, "age");
    assert_eq!((age.kind, age.lower, age.upper), (Some(ColumnType::Number), Some(18.0), Some(110.0)));
    assert_eq!((age.label.as_str(), age.unit.as_str(), age.integer), ("Age at entry (years)", "years", true));
    let sex = entry(REDCAP, "sex");
    assert_eq!(levels(&sex), [("1", "Male"), ("2", "Female"), ("-9", "Not stated")]);
    assert_eq!(levels(&entry(REDCAP, "smoker")), [("0", "No"), ("1", "Yes")]);
    assert_eq!(levels(&entry(REDCAP, "alive")), [("0", "False"), ("1", "True")]);
    let statin = entry(REDCAP, "drugs___st");
    assert_eq!(statin.label, "Drugs: Statin");
    assert_eq!(entry(REDCAP, "drugs___1").label, "Drugs: Aspirin, any dose");
    assert_eq!(levels(&statin), [("0", "Unchecked"), ("1", "Checked")]);
    let sbp = entry(REDCAP, "sbp");
    assert_eq!(
        (sbp.unit.as_str(), sbp.lower, sbp.upper, sbp.integer),
        ("mmHg", Some(40.0), Some(270.0), false)
    );
    let pain = entry(REDCAP, "pain");
    assert_eq!((pain.kind, pain.lower, pain.upper), (Some(ColumnType::Number), Some(0.0), Some(100.0)));
    let bmi = entry(REDCAP, "bmi");
    assert_eq!((bmi.kind, bmi.lower, levels(&bmi).len()), (Some(ColumnType::Number), None, 0));
    for (name, date, lower) in
        [("record_id", false, None), ("dob", true, Some(1920.0)), ("notes", false, None)]
    {
        let entry = entry(REDCAP, name);
        assert_eq!((entry.kind, entry.date, entry.lower, entry.upper), (None, date, lower, None), "{name}");
    }
}

#[test]
fn levels_are_codes_or_labels_as_the_cells_are() {
    let sex = entry(REDCAP, "sex");
    let codes = ["1", "2", "-9"].map(str::to_owned);
    let labels = ["Male", "Female", "Not stated"].map(str::to_owned);
    assert_eq!(sex.levels_as_in(["2", " 1", "1"].into_iter()), codes);
    assert_eq!(sex.levels_as_in(["Female", "Female"].into_iter()), labels);
    assert_eq!(sex.levels_as_in(std::iter::empty()), codes);
    assert_eq!(sex.levels_as_in(["F", "M"].into_iter()), codes, "other spellings are asked about elsewhere");
}

#[test]
fn a_checkbox_may_have_one_choice() {
    let one = REDCAP.replace("1, Aspirin, any dose | ST, Statin", "1, Aspirin, any dose");
    let names: Vec<String> = read(one.as_bytes()).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("drugs")).collect::<Vec<_>>(), ["drugs___1"]);
    assert_eq!(entry(&one, "drugs___1").label, "Drugs: Aspirin, any dose");
}

#[test]
fn what_does_not_say_what_it_means_has_a_label() {
    let labels = |name: &str, levels: [&str; 2]| {
        let found = entry(REDCAP, name).labels_of(&levels.map(str::to_owned));
        found.into_iter().collect::<Vec<_>>()
    };
    let pairs = |pairs: [(&str, &str); 2]| pairs.map(|(of, is)| (of.to_owned(), is.to_owned())).to_vec();
    assert_eq!(labels("sex", ["1", "2"]), pairs([("1", "Male"), ("2", "Female")]));
    assert_eq!(labels("sex", ["Male", "Female"]), []);
    assert_eq!(labels("drugs___st", ["0", "1"]), pairs([("0", "not Statin"), ("1", "Statin")]));
    assert_eq!(
        labels("drugs___st", ["Unchecked", "Checked"]),
        pairs([("Checked", "Statin"), ("Unchecked", "not Statin")])
    );
}

#[test]
fn a_plain_dictionary_is_read_in_any_order() {
    let text = "Study 12;;;;;\nMAX;Units;Variable;Data type;Value labels;Description;min\n\
        120;years;age;Numeric;;Age;18\n\
        ;;sex;Numeric;1=Male, 2=Female;Sex;\n\
        ;;ward;String;\"A;B;C\";Ward;\n\
        ;;when;Date;;Admission;\n\
        1,75;m;height;decimal;;Height;0,5\n\
        ;;smoke;factor;\"never; former; current\";Smoking;\n\
        ;;score;scale;-99=Missing, -98=Refused;Score;\n\
        10;;likert;integer;1=low, 10=high;Agreement;0\n";
    assert_eq!((entry(text, "age").upper, entry(text, "age").unit), (Some(120.0), "years".to_owned()));
    assert_eq!(levels(&entry(text, "sex")), [("1", "Male"), ("2", "Female")]);
    assert_eq!(entry(text, "sex").kind, Some(ColumnType::Category));
    assert_eq!(levels(&entry(text, "ward")), [("A", "A"), ("B", "B"), ("C", "C")]);
    assert_eq!(entry(text, "when").kind, None);
    assert_eq!((entry(text, "height").lower, entry(text, "height").upper), (Some(0.5), Some(1.75)));
    assert_eq!(levels(&entry(text, "smoke")).len(), 3);
    assert_eq!(entry(text, "score").kind, Some(ColumnType::Number));
    assert_eq!(entry(text, "likert").kind, Some(ColumnType::Number), "bounds and labels of the ends");
}

#[test]
fn values_are_listed_in_many_ways() {
    for (text, expected) in [
        ("1, Male | 2, Female", &[("1", "Male"), ("2", "Female")][..]),
        ("1=Male; 2=Female", &[("1", "Male"), ("2", "Female")]),
        ("1 = \"Male, adult\", 2 = \"Female\"", &[("1", "Male, adult"), ("2", "Female")]),
        ("0: no; 1: yes", &[("0", "no"), ("1", "yes")]),
        ("[0] no, [1] yes", &[("0", "no"), ("1", "yes")]),
        ("1 - low\n2 - high", &[("1", "low"), ("2", "high")]),
        ("F,M", &[("F", "F"), ("M", "M")]),
        ("only", &[("only", "only")]),
        ("=x|y=", &[("=x", "=x"), ("y=", "y=")]),
        ("", &[]),
        (" | ;", &[(";", ";")]),
    ] {
        let found = choices::parse(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|level| (level.code.as_str(), level.label.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
    }
    for (text, expected) in [
        ("0-120", Some((0.0, 120.0))),
        ("-5 to 5", Some((-5.0, 5.0))),
        ("-5--1", Some((-5.0, -1.0))),
        ("[0, 1]", Some((0.0, 1.0))),
        ("1–7", Some((1.0, 7.0))),
        ("5-5", None),
        ("9-1", None),
        ("–", None),
        ("é-1", None),
        ("F-M", None),
        ("", None),
    ] {
        assert_eq!(choices::range(text), expected, "{text:?}");
    }
}

#[test]
fn values_may_have_lines_of_their_own_and_names_stand_once() {
    let text = "variable,label,values\nsex,Sex,1=Male\n,,2=Female\nsex,Again,3=x\nage,Age,0-120\n,,7=lost\n";
    let text = text.replace("1=Male", "\"1=Male;9=None\"");
    assert_eq!(levels(&entry(&text, "sex")), [("1", "Male"), ("9", "None"), ("2", "Female")]);
    assert_eq!((entry(&text, "age").lower, entry(&text, "age").kind), (Some(0.0), Some(ColumnType::Number)));
}

#[test]
fn a_column_is_found_by_case_only_where_one_fits() {
    let entries = read(b"name,unit\nAge,years\nBMI,kg\nbmi,kg/m2\n").unwrap();
    assert_eq!(find(&entries, "age").map(|entry| entry.name.as_str()), Some("Age"));
    assert_eq!(find(&entries, "bmi").map(|entry| entry.unit.as_str()), Some(""), "without a type no unit");
    assert_eq!(find(&entries, "Bmi"), None);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (bytes, error) in [
        (&b""[..], CodebookError::NoHeader),
        (b"age,sex,sbp\n61,F,140\n", CodebookError::NoHeader),
        (b"name,ward\nSmith,7\n", CodebookError::NoHeader),
        (b"name,type\n", CodebookError::Empty),
        (b"name,type\n,\n , \n", CodebookError::Empty),
        (b"PK\x03\x04\0\0", CodebookError::NoText),
    ] {
        assert_eq!(read(bytes), Err(error), "{bytes:?}");
    }
    assert_eq!(read(&vec![b' '; LONGEST + 1]), Err(CodebookError::TooLong));
}

#[test]
fn text_of_other_encodings_is_read() {
    let text = "name,label,unit,type\nage,Âge,années,number\n";
    let utf16: Vec<u8> = "\u{feff}"
        .chars()
        .chain(text.chars())
        .collect::<String>()
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let latin: Vec<u8> = text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    for bytes in [utf16, latin, text.as_bytes().to_vec()] {
        assert_eq!(read(&bytes).unwrap()[0].unit, "années");
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let alphabet = b"name,type;levels|min\tmax\"'=:-\n\r<>[]() 1,2 \xff\xc3\xa9\xe2\x80\x93";
    let mut state = 1_u64;
    for round in 0..400 {
        let bytes: Vec<u8> = (0..round % 97)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                alphabet[usize::try_from(state >> 33).unwrap() % alphabet.len()]
            })
            .collect();
        for head in [
            &b""[..],
            b"name,type,levels,min,max,range,label\n",
            b"Variable / Field Name;Field Type;Choices\n",
        ] {
            let _ = read(&[head, &bytes].concat());
        }
    }
}

#[test]
fn a_labelled_export_is_described_by_its_labels_where_they_are_unique() {
    let book = read(REDCAP.as_bytes()).unwrap();
    let name = |heading: &str| find(&book, heading).map(|entry| entry.name.as_str());
    assert_eq!(name("Current smoker"), Some("smoker"));
    assert_eq!(name("age at entry (years)"), Some("age"));
    assert_eq!(name("Drugs (choice=Aspirin, any dose)"), Some("drugs___1"));
    assert_eq!(name("Drugs (choice=None)"), None);
    assert_eq!(name("Sex"), Some("sex"), "a name comes before a label");
    let twice = read(b"name,label\na,Weight\nb,Weight\n").unwrap();
    assert_eq!(find(&twice, "Weight"), None);
    assert!(is_checkbox("drugs___1") && is_checkbox("Drugs (choice=Statin)"));
    assert!(!is_checkbox("drugs__1") && !is_checkbox("___") && !is_checkbox("bmi"));
}

#[test]
fn headings_of_a_codebook_are_told_from_those_of_a_table() {
    let are = |text: &str| {
        let header = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
        let names: Vec<String> =
            grid::rows(header).into_iter().flatten().map(|name| name.trim().to_owned()).collect();
        are_headings(&names)
    };
    assert!(are(REDCAP) && are("variable,label,type,unit,levels\n"));
    for table in ["id,name,sex,type,age", "name,type,value", "age,sex,bmi,sbp", "variable,min,max"] {
        assert!(!are(table), "{table}");
    }
}
