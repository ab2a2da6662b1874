export default function (pi: any) {
  let told = "" // the session that was told how it begins
  const of = (ctx: any, more: any = {}) => ({
    session_id: ctx?.sessionManager?.getSessionId?.(),
    cwd: ctx?.cwd ?? process.cwd(),
    ...more,
  })
  const on = (event: string, work: (event: any, ctx: any) => Promise<any>) =>
    pi.on(event, async (given: any, ctx: any) => {
      try {
        return await work(given ?? {}, ctx)
      } catch {}
    })
  let source = "startup"
  on("session_start", async ({ reason }) => {
    source = reason === "resume" || reason === "fork" ? "resume" : "startup"
    told = ""
  })
  // Not in session_start: what is sent there piles up with every resume.
  on("before_agent_start", async ({ prompt }, ctx) => {
    const session = of(ctx).session_id ?? "?"
    const begun = told === session ? "" : await ask("SessionStart", of(ctx, { source }))
    told = session
    const asked = await ask("UserPromptSubmit", of(ctx, { prompt }))
    const content = [begun, asked].filter(Boolean).join("\n\n")
    if (content) return { message: { customType: "axiommind", content, display: false } }
  })
  on("tool_result", async ({ toolName, input, content, isError }, ctx) => {
    const output = (content ?? []).map((part: any) => part.text ?? "").join("\n")
    if (!tells(toolName, isError)) return
    const fields = { tool_name: toolName, tool_input: input, error: isError ? output : "" }
    const text = await ask("PostToolUse", of(ctx, fields))
    if (text) return { content: [...content, { type: "text", text }] }
  })
  on("session_before_compact", async (_, ctx) => {
    await ask("PreCompact", of(ctx))
  })
  on("session_compact", async (_, ctx) => {
    source = "compact"
    told = ""
  })
  on("agent_end", async (_, ctx) => {
    await ask("Stop", of(ctx))
  })
  on("session_shutdown", async (_, ctx) => {
    await ask("SessionEnd", of(ctx))
  })
}
