/** The nice value of threads that run programs: below requests. */
export const programPriority = 5
/**
 * For a program with a long computation: below other programs, but not so low that a busy server
 * would end it.
 */
export const longPriority = 10
/** CPU time, excluding calls, before a program yields to others. */
export const longMs = 250
