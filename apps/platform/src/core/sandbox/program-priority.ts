/** The nice value of threads that run programs: below requests. */
export const programPriority = 5
/** Of one whose program computes for long: below other programs, yet never so low that a busy server would end it. */
export const longPriority = 10
/** How long a program computes, its calls apart, until it gives way to others. */
export const longMs = 250
