import HeadwaterServer

Headwater.serve(exampleProgram, arguments: CommandLine.arguments)
