/**
 * Wraps a function whose caller catches nothing, such as a socket listener or a timer: errors go to
 * `onError`. Unhandled, they would end the process and with it every other connection.
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
