/** A browser window that Playwright does not drive. */
export interface Driven {
  /** Settles when the page has loaded. */
  open: (url: string) => Promise<void>
  reload: () => Promise<void>
  /** Runs in the page, which sees only the arguments; JSON in both directions. */
  run: <Given extends readonly unknown[], Answer>(
    work: (...given: Given) => Answer,
    ...given: Given
  ) => Promise<Answer>
  /** Performs actions with keys and a pointer, as defined by W3C WebDriver. */
  act: (sources: readonly object[]) => Promise<void>
  close: () => Promise<void>
}

/** The files that identify an installed browser. */
export interface DrivenBrowser {
  name: string
  /** Its Debian packages. */
  needs: string
  isHere: boolean
  start: () => Promise<Driven>
}
