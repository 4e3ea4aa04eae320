/**
 * A function whose caller catches nothing, such as a listener of a socket or a timer: what it throws
 * goes to `onError`. Unguarded it would end the process, and with it every other connection.
 */
export const guarded =
  <Given extends unknown[]>(
    onError: (error: unknown) => void,
    work: (...given: Given) => void,
  ): ((...given: Given) => void) =>
  (...given) => {
    try {
      work(...given)
    } catch (error) {
      onError(error)
    }
  }
