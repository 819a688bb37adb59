// Read last: the functions of csharp.hpp, which only src/ calls.
%typemap(csclassmodifiers) haft::csharp::Support, haft::csharp::CheckpointParts "internal class"
%nodefaultctor haft::csharp::Support;
%nodefaultdtor haft::csharp::Support;
%include "bindings/csharp/csharp.hpp"
