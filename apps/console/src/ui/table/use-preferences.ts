import { useSyncExternalStore } from 'react'
import {
  readPreferences,
  subscribeToPreferences,
  type ListPreferences,
} from './list-preferences.ts'

/** How the reader wants a list to look, updated as it changes. */
export const usePreferences = (name: string): ListPreferences =>
  useSyncExternalStore(subscribeToPreferences, () => readPreferences(name))
