// Read last: the functions of csharp.hpp, which only src/ calls.
%typemap(csclassmodifiers) haft::csharp::Support, haft::csharp::CheckpointParts "internal class"
%ignore haft::csharp::Lent;
%ignore haft::csharp::LentList;
%ignore haft::csharp::LentNamed;
%ignore haft::csharp::Answer;
%ignore haft::csharp::Carried;
%ignore haft::csharp::Failure;
%ignore haft::csharp::Hooks;
%ignore haft::csharp::answer;
%ignore haft::csharp::hooks;
%ignore haft::csharp::failure;
%ignore haft::csharp::rethrow_failure;
%ignore haft::csharp::raise_current;
%rename("$ignore", regextarget=1, fullname=1) "^haft::csharp::(give|take)";
%nodefaultctor haft::csharp::Support;
%nodefaultdtor haft::csharp::Support;
%include "bindings/csharp/csharp.hpp"
%extend haft::nn::Build {
  void use_generator(haft_generator* g) { $self->generator = g; }
}
