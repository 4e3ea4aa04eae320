import { isSameValue } from './form-values.ts'
import { useDraft } from './use-draft.ts'

const neverSettled = () => () => {}

/** A draft (`useDraft`) of inputs without a `useForm`; `typed` leaves out what must not be stored. */
export function useTypedDraft<V extends object>(
  name: string,
  { typed, first, restore }: { typed: V; first: V; restore: (draft: V) => void },
): { isRestored: boolean; drop: () => void } {
  return useDraft(
    {
      isDirty: !isSameValue(typed, first),
      snapshot: typed,
      restore: (draft) => {
        // A draft of an earlier release may have other fields.
        const fits = isSameValue(Object.keys(draft), Object.keys(first))
        if (fits) restore(draft as V)
        return fits
      },
      onSettled: neverSettled,
    },
    name,
  )
}
