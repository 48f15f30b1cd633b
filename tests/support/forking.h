/* Whether importing, which forks, may be done by one thread at a time only: the allocator of
 * AddressSanitizer does not take its locks over a fork, as the C library's does, so that a child
 * may wait for one that another thread held. */
#ifndef KILN_TEST_FORKING_H
#define KILN_TEST_FORKING_H

#if defined(__SANITIZE_ADDRESS__)
#define FORK_NEEDS_ONE_THREAD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FORK_NEEDS_ONE_THREAD 1
#endif
#endif
#ifndef FORK_NEEDS_ONE_THREAD
#define FORK_NEEDS_ONE_THREAD 0
#endif

#endif
