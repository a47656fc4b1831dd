//! The command line: parses arguments, calls one verb, maps its result to an exit code.

fn main() {
    argvow::fake::dispatch();
    argvow::suite::dispatch(&argvow::subject::Builtin);
    let catalogue = argvow::suite::Catalogue::embedded().unwrap();
    let cases: Vec<_> = catalogue.cases().collect();
    argvow::suite::run(&cases, &Default::default(), &Default::default(), &mut |event| {
        println!("{}", event.to_json().unwrap())
    })
    .unwrap();
}
