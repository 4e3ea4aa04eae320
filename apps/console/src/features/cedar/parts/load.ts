import { orMissing } from '../../../ui/page/or-missing.ts'

/** What an address names, or the page that says it is not there; another's service has ids of its own form. */
export const loadOr404 = <T>(load: () => Promise<T>): Promise<T> => load().catch(orMissing)
