import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import type {
  FileProblem,
  ImportField,
  ImportState,
} from '@grove/contract/maple/fleet/device-import.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<ImportState, StateKind> = {
  uploaded: 'idle',
  checking: 'waiting',
  checked: 'ready',
  running: 'waiting',
  completed: 'good',
  cancelled: 'ended',
  failed: 'bad',
}

export function useImportWords() {
  const { t } = useLingui()
  const states: Record<ImportState, string> = {
    uploaded: t({ message: 'Uploaded', context: 'a file of devices' }),
    checking: t({ message: 'Checking…', context: 'a file of devices' }),
    checked: t({ message: 'Checked', context: 'a file of devices' }),
    running: t({ message: 'Importing…', context: 'a file of devices' }),
    completed: t({ message: 'Imported', context: 'a file of devices' }),
    cancelled: t({ message: 'Cancelled', context: 'an import of devices' }),
    failed: t({ message: 'Failed', context: 'an import of devices' }),
  }
  const fields: Record<ImportField, string> = {
    id: t({ message: 'ID', context: 'a column of an import' }),
    name: t({ message: 'Name', context: 'a column of an import' }),
    type: t({ message: 'Type', context: 'a column of an import' }),
    state: t({ message: 'State', context: 'a column of an import' }),
    cplc: t({ message: 'Element (CPLC)', context: 'a column of an import' }),
    innerId: t({ message: 'Inner ID', context: 'a column of an import' }),
    serviceId: t({ message: 'Service provider', context: 'a column of an import' }),
    tags: t({ message: 'Tags', context: 'a column of an import' }),
    attributes: t({ message: 'Attributes (JSON)', context: 'a column of an import' }),
    attribute: t({ message: 'Attribute', context: 'a column of an import' }),
  }
  return { states, fields }
}

export function ImportStateBadge({ state }: Pick<DeviceImport, 'state'>) {
  const { states } = useImportWords()
  return <StateBadge kind={stateKinds[state]} text={states[state]} />
}

/** Why a file cannot be imported, from its upload error. */
export function useFileProblem() {
  const { t } = useLingui()
  return (code: string, params: Record<string, string | number> = {}): string | undefined => {
    const { byte = '', at = '', looksLike = '', found = '', limit = '' } = params
    const texts: Record<FileProblem, string> = {
      empty: t`The file contains no rows.`,
      binary: t`The file is not text. Choose a CSV or JSON Lines file.`,
      not_utf8: t`The byte ${byte} at ${at} is not UTF-8; the file looks like ${looksLike}. Save it as UTF-8 and upload it again.`,
      not_utf16: t`The file begins as UTF-16 but does not continue so. Save it as UTF-8.`,
      json_array: t`The file is one JSON array. Write one object per line instead, without enclosing brackets and commas.`,
      no_columns: t`The first row must name the columns, and its quotes must match.`,
      too_many_columns: t`The file has ${found} columns; at most ${limit} are read.`,
    }
    return (texts as Record<string, string>)[code]
  }
}
