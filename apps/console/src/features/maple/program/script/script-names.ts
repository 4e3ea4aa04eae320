import { sessionCommandKinds } from '@grove/secure-element/host/command-kinds'
import { useLingui } from '@lingui/react/macro'
import type { CodeName } from '../code/code-api.ts'

/** The names available to a script, for completion in the editor. */
export function useScriptNames(): CodeName[] {
  const { t } = useLingui()
  const reply = '{ sw, status, meaning, data }'
  return [
    {
      name: 'se',
      type: 'constant',
      text: t`The session with the element that the script runs on.`,
    },
    {
      name: 'select',
      of: 'se',
      signature: `(aid?, { logicalChannel }?) → ${reply}`,
      text: t`Selects an application; without an AID, the card’s own domain. This closes an open channel.`,
    },
    {
      name: 'open',
      of: 'se',
      signature: `({ level, keyset, scp, credential, logicalChannel }?)`,
      text: t`Opens a secure channel to the selected domain. The level is P1 of EXTERNAL AUTHENTICATE, such as '33'. With the name of credentials, the channel is one of SCP11.`,
    },
    {
      name: 'send',
      of: 'se',
      signature: `({ kind, logicalChannel, … }) → ${reply}`,
      text: t`Sends a command of a kind, like the console of a session, through the channel if one is open. The kind ManageChannel with the action open opens a logical channel; its number is in the data of the reply.`,
    },
    {
      name: 'transmit',
      of: 'se',
      signature: `(hex) → ${reply}`,
      text: t`Sends bytes unchanged. Needs the right to raw commands.`,
    },
    {
      name: 'batch',
      of: 'se',
      signature: `([{ kind, … } or hex], { stopAtError }?) → [${reply}]`,
      text: t`Sends up to 100 commands one after the other and returns their replies: much faster than a call for each. It stops after an error or a wrong PIN, unless stopAtError is false. Bytes in hex need the right to raw commands.`,
    },
    {
      name: 'install',
      of: 'se',
      signature: '(appletId, { instances }?) → { state, findings }',
      text: t`Installs an applet. What the card already has stays. Needs the right to change applets.`,
    },
    {
      name: 'assertSW',
      signature: `(…words) → ${reply}`,
      text: t`Stops the script unless the last reply has one of these status words, by default 0x9000.`,
    },
    {
      name: 'input',
      signature: '(name, otherwise?) → string',
      text: t`The value entered under this name when the script was started.`,
    },
    {
      name: 'prompt',
      signature: '(question, { seconds }?) → string',
      text: t`Asks the person who started the script, on this page, and waits for the answer, by default for 5 minutes.`,
    },
    {
      name: 'secret',
      signature: '(name) → handle',
      text: t`A handle to a secret for the data of MplStoreData. The script cannot read the value.`,
    },
    { name: 'log', signature: '(…values)', text: t`Writes a line to the log of the run.` },
    {
      name: 'tlv',
      signature: '(hex) → [{ tag, value, children }]',
      text: t`Parses BER-TLV data.`,
    },
    ...sessionCommandKinds
      .filter((kind) => kind !== 'MplPutKey')
      .map((name): CodeName => ({ name, inQuotesOf: 'kind', type: 'constant' })),
  ]
}
