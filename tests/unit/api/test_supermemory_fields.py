"""Every field that Supermemory's client can send is known here, and every field that it reads is in the answer."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel
from supermemory import types
from supermemory._utils import PropertyInfo
from supermemory.types import (
    document_batch_add_params,
    document_batch_add_response,
    document_delete_bulk_response,
    document_get_response,
    document_list_processing_response,
    document_list_response,
    search_execute_response,
    search_memories_params,
    search_memories_response,
)

from api.answers import documents as answers
from api.answers import search as found
from api.schemas import documents, files, search
from api.schemas.fields import Fields

# What the client sends, and the schema of the route that it sends it to.
SENT: tuple[tuple[Any, type[Fields]], ...] = (
    (types.ClientAddParams, documents.AddDocument),
    (types.DocumentAddParams, documents.AddDocument),
    (types.DocumentBatchAddParams, documents.AddDocuments),
    (document_batch_add_params.DocumentsUnionMember0, documents.BatchDocument),
    (types.DocumentUpdateParams, documents.ChangeDocument),
    (types.DocumentListParams, documents.ListDocuments),
    (types.DocumentListProcessingParams, documents.ListProcessing),
    (types.DocumentDeleteBulkParams, documents.DeleteDocuments),
    (types.DocumentUploadFileParams, files.UploadFile),
    (types.SearchDocumentsParams, search.SearchDocuments),
    (types.SearchExecuteParams, search.SearchDocuments),
    (types.SearchMemoriesParams, search.Search),
    (search_memories_params.Include, search.Include),
)
# What comes beside the fields of a form.
PARTS = {"file"}

# What the client reads, and the model of the answer.
READ: tuple[tuple[type[BaseModel], type[BaseModel]], ...] = (
    (types.AddResponse, answers.Accepted),
    (types.DocumentAddResponse, answers.Accepted),
    (types.DocumentUpdateResponse, answers.Accepted),
    (types.DocumentUploadFileResponse, answers.Accepted),
    (types.DocumentBatchAddResponse, answers.Batch),
    (document_batch_add_response.Result, answers.BatchResult),
    (types.DocumentDeleteBulkResponse, answers.Deleted),
    (document_delete_bulk_response.Error, answers.DeletionError),
    (types.DocumentGetResponse, answers.WholeDocument),
    (types.DocumentListResponse, answers.Documents),
    (document_list_response.Memory, answers.Document),
    (types.DocumentListProcessingResponse, answers.Processing),
    (document_list_processing_response.Document, answers.ProcessedDocument),
    (types.SearchExecuteResponse, found.FoundDocuments),
    (search_execute_response.Result, found.FoundDocument),
    (search_execute_response.ResultChunk, found.FoundChunk),
    (types.SearchMemoriesResponse, found.Found),
    (search_memories_response.Result, found.Result),
    (search_memories_response.ResultContext, found.Context),
    (search_memories_response.ResultContextParent, found.OtherVersion),
    (search_memories_response.ResultDocument, found.OfDocument),
    (search_memories_response.ResultChunk, found.OfChunk),
)
# By model: what the client may read and is never there, and why.
NEVER = {
    answers.BatchResult: {"url": "a page is told as any other document"},
    found.Result: {"isAggregated": "nothing is aggregated"},
}


def sent_names(params: Any) -> set[str]:
    names = set()
    for name, hint in get_type_hints(params, include_extras=True).items():
        aliases = [one.alias for one in _annotations(hint) if isinstance(one, PropertyInfo) and one.alias]
        names.add(aliases[0] if aliases else name)
    return names


def _annotations(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Annotated:
        return get_args(hint)[1:]
    return tuple(one for inner in get_args(hint) for one in _annotations(inner))


def read_names(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


@pytest.mark.parametrize(("params", "schema"), SENT, ids=lambda one: one.__name__)
def test_every_field_that_the_client_sends_is_known(params, schema):
    assert sent_names(params) - set(schema.names()) <= PARTS


@pytest.mark.parametrize(("model", "answer"), READ, ids=lambda one: one.__name__)
def test_every_field_that_the_client_reads_is_in_the_answer(model, answer):
    assert read_names(model) - read_names(answer) <= set(NEVER.get(answer, {}))


def test_every_field_that_the_client_needs_is_always_there():
    for model, answer in READ:
        needed = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
        always = {field.alias or name for name, field in answer.model_fields.items() if field.is_required()}
        assert needed <= always, (model.__name__, needed - always)


def test_memory_of_a_document_is_as_the_client_reads_it():
    entry = answers.WholeDocument.model_fields["memories"].annotation

    assert read_names(document_get_response.Memory) <= read_names(get_args(entry)[0])
