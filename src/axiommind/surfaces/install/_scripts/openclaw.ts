import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry"

export default definePluginEntry({
  id: "axiommind",
  name: "AxiomMind",
  description: "What earlier sessions decided, tried and found out",
  register(api: any) {
    const starts = new Map() // session → what it was told when it began
    const later = new Map() // session → what was said about tools; a result cannot be added to in the same turn
    const of = (ctx: any, more: any = {}) => ({ session_id: ctx?.sessionId, cwd: ctx?.workspaceDir, ...more })
    const on = (event: string, work: (event: any, ctx: any) => Promise<any>) =>
      api.on(event, async (given: any, ctx: any) => {
        try {
          return await work(given ?? {}, ctx ?? {})
        } catch {}
      })
    on("before_prompt_build", async ({ prompt }, ctx) => {
      const session = ctx.sessionId
      if (!starts.has(session)) starts.set(session, await ask("SessionStart", of(ctx, { source: "startup" })))
      const notes = later.get(session) ?? []
      later.delete(session)
      const asked = await ask("UserPromptSubmit", of(ctx, { prompt }))
      return {
        appendSystemContext: starts.get(session) || undefined,
        prependContext: [...notes, asked].filter(Boolean).join("\n\n") || undefined,
      }
    })
    on("after_tool_call", async ({ toolName, params, result }, ctx) => {
      const output = (result?.content ?? []).map((part: any) => part.text ?? "").join("\n")
      const error = result?.details?.exitCode ? output : ""
      if (!tells(toolName, error)) return
      const text = await ask("PostToolUse", of(ctx, { tool_name: toolName, tool_input: params, error }))
      if (text) later.set(ctx.sessionId, [...(later.get(ctx.sessionId) ?? []), text])
    })
    on("agent_end", async (_, ctx) => {
      await ask("Stop", of(ctx))
    })
  },
})
