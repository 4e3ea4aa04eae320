import { useRouterState } from '@tanstack/react-router'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Elements that were chosen on another page, which are too many for an address. */
    elements?: readonly ComboboxOption[]
  }
}

const none: readonly ComboboxOption[] = []

/** The elements that a page was opened for, also after it is loaded again. */
export const useHandedElements = (): readonly ComboboxOption[] =>
  useRouterState({ select: ({ location }) => location.state.elements ?? none })
