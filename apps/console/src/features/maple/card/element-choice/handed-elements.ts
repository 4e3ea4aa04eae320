import { useRouterState } from '@tanstack/react-router'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Elements chosen on another page: too many for a URL. */
    elements?: readonly ComboboxOption[]
  }
}

const none: readonly ComboboxOption[] = []

/** The elements that a page was opened for, also after a reload. */
export const useHandedElements = (): readonly ComboboxOption[] =>
  useRouterState({ select: ({ location }) => location.state.elements ?? none })
