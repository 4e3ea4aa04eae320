import type { NewReader } from '@grove/contract/maple/card/reader'
import { readerNameLimit } from '@grove/contract/maple/card/reader.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { keepCode, path, readers } from './reader.api.ts'
import { WithKey } from './reader-commands.tsx'

/** Names a reader; its panel then shows what to run. */
export function ConnectReader(panel: NewItem) {
  const { t } = useLingui()
  return (
    <CreateItem<{ name: string }, NewReader>
      {...panel}
      items={readers}
      title={t`New reader`}
      submitLabel={t`Create a pairing code`}
      savedText={() => t`The pairing code is ready.`}
      fields={{
        name: useNameField(readerNameLimit, t`Such as the reader’s location: “My desk”.`),
      }}
      form={{
        values: { name: '' },
        submit: async (values) => {
          const made = await api.maple.post(path, { body: values })
          keepCode(made)
          return made
        },
      }}
    >
      {() => <WithKey />}
    </CreateItem>
  )
}
