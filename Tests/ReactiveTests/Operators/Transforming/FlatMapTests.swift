import Reactive
import Testing

struct FlatMapTests {
    @Test(arguments: [
        Course(
            """
            a  -b--c-----|
               ^---------!
            b  --1-2|
               -^----!
            c  -3|
               ----^-!
            =  ---1-(23)-|
            """),
        Course(
            """
            a  -b-|
               ^--!
            b  -1----2-|
               -^-------!
            =  --1----2-|
            """),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course(
            """
            a  -b---|
               ^----!
            b  ---|
               -^--!
            =  -----|
            """),
        Course(
            """
            a  -b--#
               ^---!
            b  -1----2-|
               -^--!
            =  --1-#
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
            a  -b------c-|
               ^---!
            b  -1--2-|
               -^--!
            =  --1
               ^---!
            """),
    ])
    func `flatMap merges the values of all inner observables as they arrive (Laws FLATMAP1, FLATMAP2)`(_ course: Course)
    {
        course.holds { laboratory in laboratory.a.flatMap { laboratory[$0] } }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -b-c-|
                   ^----!
            hot b  -1-2----|
                   -^------!
            hot c  ---3---4|
                   ---^----!
            =      -1-(23)4|
            """),
        Course(
            """
            hot c  ---3-4----|
                   ---^------!
            hot b  -1-2------|
                   -^--------!
            hot a  -b-c-|
                   ^----!
            =      ---2-4----|
            """),
        Course(
            """
            hot b  -1-2---|
                   -^-----!
            hot a  -b-----|
                   ^------!
            =      ---2---|
            """),
    ])
    func `events in the same second keep their order (Law FLATMAP1)`(_ course: Course) {
        course.holds { laboratory in laboratory.a.flatMap { laboratory[$0] } }
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
        ).holds { laboratory in laboratory.a.flatMap { laboratory[try accepted($0)] } }
    }

    @Test func `the inner observables of values of one turn are delivered in order (Law T9)`() {
        Course("= (abcde|)").holds { _ in
            Observable.from(["ab", "c", "", "de"]).flatMap { .from($0.map(String.init)) }
        }
    }

    @Test func `a failure in the turn of a value comes after the values of its inner observable (Law FLATMAP2)`() {
        Course("= (1#)").holds { _ in Observable.just("1").append(.failed(Broken())).flatMap { .just($0) } }
    }
}
