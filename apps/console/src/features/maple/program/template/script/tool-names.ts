import type { ScriptTool } from '@grove/contract/maple/program/template-script.rules'

/** Product names, the same in every language. */
export const toolNames: Record<ScriptTool, string> = {
  gp: 'GlobalPlatformPro (gp)',
  gpshell: 'GPShell',
}
