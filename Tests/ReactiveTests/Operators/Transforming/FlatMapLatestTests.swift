import Reactive
import Testing

struct FlatMapLatestTests {
    @Test(arguments: [
        Course(
            """
            a  -b---c-------|
               ^------------!
            b  --1-2-|
               -^---!
            c  --3-4|
               -----^----!
            =  ---1---3-4---|
            """),
        Course(
            """
            a  -b-|
               ^--!
            b  -1---2-|
               -^------!
            =  --1---2-|
            """),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course(
            """
            a  -b----#
               ^-----!
            b  -1------2-|
               -^----!
            =  --1---#
            """),
        Course(
            """
            a  -b------c-|
               ^----!
            b  -1--#
               -^---!
            =  --1--#
            """),
        Course(
            """
            a  -b-c-------|
               ^----------!
            b  -1--#
               -^-!
            c  -2-|
               ---^--!
            =  --1-2------|
            """),
        Course(
            """
            a  -b------c-|
               ^---!
            b  -1--2-|
               -^--!
            =  --1
               ^---!
            """),
    ])
    func `flatMapLatest follows the inner observable of the latest value (Laws SWITCH1, SWITCH2)`(_ course: Course) {
        course.holds { laboratory in laboratory.a.flatMapLatest { laboratory[$0] } }
        course.holds { laboratory in laboratory.a.map { laboratory[$0] }.switchToLatest() }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -b-c--|
                   ^-----!
            hot b  ---1----|
                   -^-!
            hot c  ---2-3-|
                   ---^---!
            =      ---2-3-|
            """),
        Course(
            """
            hot c  ---2-3-|
                   ---^---!
            hot b  ---1----|
                   -^-!
            hot a  -b-c--|
                   ^-----!
            =      ---1-3-|
            """),
        Course(
            """
            hot b  ---#
                   -^-!
            hot a  -b-c--|
                   ^--!
            hot c  ---2-3-|
            =      ---#
            """),
        Course(
            """
            hot a  -b-c--|
                   ^-----!
            hot b  ---#
                   -^-!
            hot c  ---2-3-|
                   ---^---!
            =      ---2-3-|
            """),
    ])
    func `in the second of the next value, values before it are delivered (Law SWITCH1)`(_ course: Course) {
        course.holds { laboratory in laboratory.a.flatMapLatest { laboratory[$0] } }
    }

    @Test func `a closure that throws fails the observable and cancels all sources (Law O5)`() {
        Course(
            """
            a  -b-x-|
               ^--!
            b  -1----|
               -^-!
            =  --1#    #:Refused
            """
        ).holds { laboratory in laboratory.a.flatMapLatest { laboratory[try accepted($0)] } }
    }

    /// Law T9: by height, the values of one turn settle before the operator transforms one; on arrival, it transforms
    /// each (Law T10).
    @Test func `of several values in one turn, only the last is transformed`() {
        let values = Observable.from(["1", "2", "3"])
        Course("= (3|)").holds(in: [.byHeight]) { _ in values.flatMapLatest { .just($0) } }
        Course("= (123|)").holds(in: [.onArrival]) { _ in values.flatMapLatest { .just($0) } }
    }

    /// Law T9: by height, the previous inner observable is out of date in the turn of the next value; on arrival, it is
    /// not (Law T10).
    @Test func `in the turn of the next value, values of the previous inner observable are dropped`() {
        let switching: (Laboratory) -> Observable<String> = { laboratory in
            let marked = laboratory.a.map { $0 + "m" }
            return merge(marked.ignoreOutput(), laboratory.a.flatMapLatest { value in marked.map { value + $0 } })
        }
        Course("-1----2----|", "^----------!", "-----------|").holds(in: [.byHeight], switching)
        Course("-1----2----|", "^----------!", "------x----| x:12m").holds(in: [.onArrival], switching)
    }

    @Test func `a failure in the turn of a value is not lost (Law SWITCH2)`() {
        Course("= #").holds { _ in
            Observable.just("1").append(.failed(Broken())).flatMapLatest { _ in Observable<String>.never() }
        }
        Course("= (1#)").holds { _ in Observable.just("1").append(.failed(Broken())).flatMapLatest { .just($0) } }
    }
}
