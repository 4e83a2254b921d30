import HTTP

/// The page that shows what Headwater is.
extension Desk {
    func answerConsole(_ name: String, _ request: borrowing Request, _ exchange: Exchange) {
        guard let asset = Assets.console[name] else {
            return answer(
                exchange, Problem(.noSuchPath, "there is nothing here: GET /v1 says what there is, /openapi.yaml how it is asked for"))
        }
        answerFile(request, exchange, asset)
    }
}
