import type { KeySet } from '@grove/contract/maple/card/key'
import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { hexVersion } from '../../hex-version.ts'
import { refreshKeys } from './key.api.ts'
import styles from './key.module.css'
import { readVersion } from './read-version.ts'

interface RotateKeysProps {
  cplc: string
  /** Those in use; there is one at least. */
  sets: readonly KeySet[]
  onClose: () => void
}

/** New versions end at 7F: the bit above means something else in PUT KEY. */
const maxNewVersion = 0x7f

/** Says what a rotation does and what a power cut would mean, and starts it. */
export function RotateKeys({ cplc, sets, onClose }: RotateKeysProps) {
  const { t } = useLingui()
  const versions = sets.map(({ version }) => hexVersion(version))
  const [first = ''] = versions
  return (
    <ChangeDialog
      title={t`Rotate the keys?`}
      submitLabel={t`Rotate the keys`}
      form={{
        values: { version: first, newVersion: newVersionOf(first) },
        check: ({ newVersion }) => ({
          newVersion:
            readVersion(newVersion, maxNewVersion) === undefined
              ? t`Enter a version from 01 to 7F in hex.`
              : undefined,
        }),
        submit: ({ version, newVersion }) =>
          api.maple.post('/api/maple/se/keys/rotation', {
            body: {
              cplc,
              version: Number.parseInt(version, 16),
              newVersion: readVersion(newVersion, maxNewVersion) ?? 0,
            },
          }),
      }}
      done={() => t`The rotation has started.`}
      refresh={refreshKeys}
      onClose={onClose}
    >
      {(form) => (
        <>
          <p>
            <Trans>This runs as a job that you can watch:</Trans>
          </p>
          <ol className={styles.explained}>
            <li>
              <Trans>
                Grove generates three random keys and encrypts them before anything is sent.
              </Trans>
            </li>
            <li>
              <Trans>
                Grove opens a secure channel with the current keys and sends the new ones with PUT
                KEY, once.
              </Trans>
            </li>
            <li>
              <Trans>Grove authenticates with the new keys. Only then do they take effect.</Trans>
            </li>
          </ol>
          <p>
            <Trans>
              If power fails meanwhile, the card has either the old keys or the new ones, and Grove
              keeps both. It queries the card once to find out, and never sends PUT KEY twice.
            </Trans>
          </p>
          {sets.length > 1 && (
            <SelectField
              label={t`Keys to replace`}
              value={form.values.version}
              words={Object.fromEntries(versions.map((version) => [version, version]))}
              onChange={(version) => form.set({ version, newVersion: newVersionOf(version) })}
            />
          )}
          <Field
            label={t`Version of the new keys`}
            hint={t`In hex. The same version replaces the keys in place.`}
            {...codeField}
            {...form.input('newVersion')}
          />
        </>
      )}
    </ChangeDialog>
  )
}

/** Keys that a chip is delivered with have the version FF, and new ones are added beside them. */
const newVersionOf = (version: string) => (version === 'FF' ? '01' : version)
