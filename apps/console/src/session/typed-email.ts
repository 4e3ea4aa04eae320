import { readTab, writeTab } from '../api/tab-storage.ts'

// Typed on any of the sign-in pages, and kept for the others and for returning visitors.
const key = 'grove.email'

export const typedEmail = () => readTab(key) ?? ''
export const keepEmail = (email: string) => writeTab(key, email === '' ? undefined : email)
