import { orMissing } from '../../../ui/page/or-missing.ts'

/** Loads what a URL names, or shows the "not found" page. Third-party services have their own ID formats. */
export const loadOr404 = <T>(load: () => Promise<T>): Promise<T> => load().catch(orMissing)
