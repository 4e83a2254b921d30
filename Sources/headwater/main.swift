import HeadwaterServer

Headwater.serve(exampleProgram)
