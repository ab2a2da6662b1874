-- What AxiomMind asks of a candidate before it is believed. One module is written for a batch: this text, then the
-- entries, then one proof for each. A proof is `Oh`, and `Oh` has the type `So b` only where `b` computes to True.
-- Text is carried in string literals, cut and trimmed; an id that is not one comes as the empty string.

module Batch

import Data.So

%default total

record EntryId where
  constructor MkEntryId
  entryIdText : String

record TaskId where
  constructor MkTaskId
  taskIdText : String

record EventId where
  constructor MkEventId
  eventIdText : String

record EvidenceSpan where
  constructor MkSpan
  spanEvent : EventId
  spanLine : Integer
  spanBlock : String
  spanStart : Integer
  spanEnd : Integer

data TaskStatus = Pending | InProgress | Blocked | Done | Cancelled

readStatus : String -> Maybe TaskStatus
readStatus "pending" = Just Pending
readStatus "in_progress" = Just InProgress
readStatus "blocked" = Just Blocked
readStatus "done" = Just Done
readStatus "cancelled" = Just Cancelled
readStatus _ = Nothing

record Fact where
  constructor MkFact
  factId : EntryId
  factTitle : String
  factText : String
  evidenceSpans : List EvidenceSpan

record Decision where
  constructor MkDecision
  decisionId : EntryId
  decisionTitle : String
  decisionText : String
  decisionRationale : String
  evidenceSpans : List EvidenceSpan

record Insight where
  constructor MkInsight
  insightId : EntryId
  insightTitle : String
  insightText : String
  evidenceSpans : List EvidenceSpan

record Task where
  constructor MkTask
  taskEntryId : EntryId
  taskTitle : String
  taskText : String
  taskStatus : Maybe TaskStatus
  taskPriority : String
  taskBlockers : List TaskId
  evidenceSpans : List EvidenceSpan

record Reference where
  constructor MkReference
  referenceId : EntryId
  referenceTitle : String
  referenceText : String
  referenceTarget : String
  evidenceSpans : List EvidenceSpan

data Entry : Type where
  FactEntry : Fact -> Entry
  DecisionEntry : Decision -> Entry
  InsightEntry : Insight -> Entry
  TaskEntry : Task -> Entry
  ReferenceEntry : Reference -> Entry
  UnknownEntry : EntryId -> String -> String -> List EvidenceSpan -> Entry

notEmpty : String -> Bool
notEmpty "" = False
notEmpty _ = True

hasSome : List a -> Bool
hasSome [] = False
hasSome (_ :: _) = True

hasNone : List a -> Bool
hasNone [] = True
hasNone (_ :: _) = False

idOf : Entry -> EntryId
idOf (FactEntry (MkFact i _ _ _)) = i
idOf (DecisionEntry (MkDecision i _ _ _ _)) = i
idOf (InsightEntry (MkInsight i _ _ _)) = i
idOf (TaskEntry (MkTask i _ _ _ _ _ _)) = i
idOf (ReferenceEntry (MkReference i _ _ _ _)) = i
idOf (UnknownEntry i _ _ _) = i

titleOf : Entry -> String
titleOf (FactEntry (MkFact _ t _ _)) = t
titleOf (DecisionEntry (MkDecision _ t _ _ _)) = t
titleOf (InsightEntry (MkInsight _ t _ _)) = t
titleOf (TaskEntry (MkTask _ t _ _ _ _ _)) = t
titleOf (ReferenceEntry (MkReference _ t _ _ _)) = t
titleOf (UnknownEntry _ t _ _) = t

spansOf : Entry -> List EvidenceSpan
spansOf (FactEntry (MkFact _ _ _ s)) = s
spansOf (DecisionEntry (MkDecision _ _ _ _ s)) = s
spansOf (InsightEntry (MkInsight _ _ _ s)) = s
spansOf (TaskEntry (MkTask _ _ _ _ _ _ s)) = s
spansOf (ReferenceEntry (MkReference _ _ _ _ s)) = s
spansOf (UnknownEntry _ _ _ s) = s

blockersOf : Entry -> List TaskId
blockersOf (TaskEntry (MkTask _ _ _ _ _ b _)) = b
blockersOf _ = []

entryIdGiven : EntryId -> Bool
entryIdGiven (MkEntryId t) = notEmpty t

taskIdGiven : TaskId -> Bool
taskIdGiven (MkTaskId t) = notEmpty t

taskIdsGiven : List TaskId -> Bool
taskIdsGiven [] = True
taskIdsGiven (x :: xs) = taskIdGiven x && taskIdsGiven xs

spanInOrder : EvidenceSpan -> Bool
spanInOrder (MkSpan _ n _ s e) = (n >= 1) && ((s >= 0) && (s < e))

spansInOrder : List EvidenceSpan -> Bool
spansInOrder [] = True
spansInOrder (x :: xs) = spanInOrder x && spansInOrder xs

isKnown : Maybe TaskStatus -> Bool
isKnown (Just _) = True
isKnown Nothing = False

isDone : Maybe TaskStatus -> Bool
isDone (Just Done) = True
isDone _ = False

isBlocked : Maybe TaskStatus -> Bool
isBlocked (Just Blocked) = True
isBlocked _ = False

type_known : Entry -> Bool
type_known (UnknownEntry _ _ _ _) = False
type_known _ = True

ids_well_formed : Entry -> Bool
ids_well_formed x = entryIdGiven (idOf x) && taskIdsGiven (blockersOf x)

title_present : Entry -> Bool
title_present x = notEmpty (titleOf x)

spans_in_order : Entry -> Bool
spans_in_order x = spansInOrder (spansOf x)

fact_has_evidence : Entry -> Bool
fact_has_evidence (FactEntry (MkFact _ _ _ s)) = hasSome s
fact_has_evidence _ = True

decision_has_evidence : Entry -> Bool
decision_has_evidence (DecisionEntry (MkDecision _ _ _ _ s)) = hasSome s
decision_has_evidence _ = True

decision_has_rationale : Entry -> Bool
decision_has_rationale (DecisionEntry (MkDecision _ _ _ r _)) = notEmpty r
decision_has_rationale _ = True

insight_has_evidence : Entry -> Bool
insight_has_evidence (InsightEntry (MkInsight _ _ _ s)) = hasSome s
insight_has_evidence _ = True

reference_has_evidence : Entry -> Bool
reference_has_evidence (ReferenceEntry (MkReference _ _ _ _ s)) = hasSome s
reference_has_evidence _ = True

reference_has_target : Entry -> Bool
reference_has_target (ReferenceEntry (MkReference _ _ _ t _)) = notEmpty t
reference_has_target _ = True

task_status_known : Entry -> Bool
task_status_known (TaskEntry (MkTask _ _ _ s _ _ _)) = isKnown s
task_status_known _ = True

done_task_has_no_blockers : Entry -> Bool
done_task_has_no_blockers (TaskEntry (MkTask _ _ _ s _ b _)) = not (isDone s) || hasNone b
done_task_has_no_blockers _ = True

blocked_task_has_blockers : Entry -> Bool
blocked_task_has_blockers (TaskEntry (MkTask _ _ _ s _ b _)) = not (isBlocked s) || hasSome b
blocked_task_has_blockers _ = True

valid : Entry -> Bool
valid x =
  type_known x
    && ids_well_formed x
    && title_present x
    && spans_in_order x
    && fact_has_evidence x
    && decision_has_evidence x
    && decision_has_rationale x
    && insight_has_evidence x
    && reference_has_evidence x
    && reference_has_target x
    && task_status_known x
    && done_task_has_no_blockers x
    && blocked_task_has_blockers x

data Verified : Type where
  MkVerified : (entry : Entry) -> So (Batch.valid entry) -> Verified
