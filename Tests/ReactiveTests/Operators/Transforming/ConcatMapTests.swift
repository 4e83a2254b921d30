import Reactive
import Testing

struct ConcatMapTests {
    @Test(arguments: [
        Course(
            """
            a  -b-c------|
               ^---------!
            b  --1-2|
               -^----!
            c  -3-|
               ------^--!
            =  ---1-2-3--|
            """),
        Course(
            """
            a  -bc|
               ^--!
            b  -1-|
               -^--!
            c  -3-|
               ----^--!
            =  --1--3-|
            """),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course(
            """
            a  -bb#
               ^--!
            b  -1---2-|
               -^-!
            =  --1#
            """),
        Course(
            """
            a  -bc-----|
               ^---!
            b  -1-#
               -^--!
            c  -1-|
            =  --1-#
            """),
        Course(
            """
            a  -bc-----|
               ^---!
            b  -1--2-|
               -^--!
            c  -1-|
            =  --1
               ^---!
            """),
    ])
    func `concatMap starts each inner observable after the previous one has completed (Laws CONCATMAP1, CONCATMAP2)`(
        _ course: Course
    ) {
        course.holds { laboratory in laboratory.a.concatMap { laboratory[$0] } }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -b-c--|
                   ^-----!
            hot b  --1|
                   -^-!
            hot c  ---2---3|
                   ---^----!
            =      --12---3|
            """),
        Course(
            """
            hot c  ---2---3|
                   ---^----!
            hot b  --1|
                   -^-!
            hot a  -b-c--|
                   ^-----!
            =      --1----3|
            """),
        Course(
            """
            hot a  -b-c--|
                   ^-----!
            hot c  ----2--3|
                   ----^---!
            hot b  --1-|
                   -^--!
            =      --1----3|
            """),
        Course(
            """
            hot b  --1-|
                   -^--!
            hot c  ----2--3|
                   ----^---!
            hot a  -b-c--|
                   ^-----!
            =      --1-2--3|
            """),
    ])
    func `in the second of the next start, values after it are delivered (Law CONCATMAP1)`(_ course: Course) {
        course.holds { laboratory in laboratory.a.concatMap { laboratory[$0] } }
    }

    @Test func `a closure that throws fails the observable and cancels all sources (Law O5)`() {
        Course(
            """
            a  -bx---|
               ^---!
            b  -1-|
               -^--!
            =  --1-#    #:Refused
            """
        ).holds { laboratory in laboratory.a.concatMap { laboratory[try accepted($0)] } }
    }

    @Test func `a failure in the turn of values comes after the values of their inner observables (Law CONCATMAP2)`() {
        Course("= (12#)").holds { _ in Observable.from(["1", "2"]).append(.failed(Broken())).concatMap { .just($0) } }
    }

    @Test func `the inner observables of values of one turn are delivered in order (Law T9)`() {
        Course("= (abcde|)").holds { _ in
            Observable.from(["ab", "c", "", "de"]).concatMap { .from($0.map(String.init)) }
        }
    }
}
