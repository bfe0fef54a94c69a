/* Includes an emitted header where nothing else is. */
#include "local.h"

int main(void) {
  local_args args = {0};
  args.size = sizeof(local_args);
  args.version = local_args_version;
  return local_launch(&args, 0, (cudaStream_t)0);
}
